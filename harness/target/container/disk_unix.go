//go:build unix

package container

import "golang.org/x/sys/unix"

// free is the space that is left in a folder, in bytes; 0 when that is unknown.
func free(dir string) int64 {
	var s unix.Statfs_t
	if dir == "" || unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // the types differ between systems
}
