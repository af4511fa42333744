// Package versions says whether the version of a component lies in a range. What a version means is left to two
// libraries: PEP 440, which the Python packages of servers follow, and semantic versioning, which their images, crates and
// charts follow. This package decides which of the two is meant.
//
// Order is plain: what comes before a release (1.6.2rc1, 1.6.2-rc.1, 1.0.dev3) is less than it, and what comes after it
// (0.9.0.post1) is greater. The ranges of both libraries treat pre-releases apart, so that 1.6.1rc1 is neither in <1.6.1
// nor in >=1.6.1. Of two entries that divide all versions between them neither would then be in force.
package versions

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"
	pep440 "github.com/aquasecurity/go-pep440-version"
)

// The bounds of texts, in bytes. Real versions have at most forty, and a range of two of them a hundred.
const (
	maxVersion = 100
	maxRange   = 400
)

// Version is the version of a component, such as 0.31.0rc1, 1.6.2-rc.1 or v1.2.
type Version struct {
	text string
	pep  *pep440.Version // nil when it is none of PEP 440
	sem  *semver.Version // nil when it is no semantic version
}

func (v Version) String() string { return v.text }

// Parse reads a version. What stands after a plus names a build of the version and is not compared: 0.31.0+cpu is 0.31.0.
func Parse(text string) (Version, error) {
	if len(text) > maxVersion {
		return Version{}, fmt.Errorf("%.20q… has %d bytes; expected a version of at most %d", text, len(text), maxVersion)
	}
	v := Version{text: text}
	if text == strings.TrimSpace(text) {
		if p, err := pep440.Parse(text); err == nil {
			if p, err = pep440.Parse(p.Public()); err == nil {
				v.pep = &p
			}
		}
		if s, err := semver.NewVersion(text); err == nil {
			v.sem = s
		}
	}
	switch {
	case v.pep == nil && v.sem == nil:
		return Version{}, fmt.Errorf("%q is no version; expected one of PEP 440, such as 0.31.0, 0.31.0rc1 or 0.9.0.post1, or a semantic one, such as 1.6.2-rc.1", text)
	case v.pep != nil && v.sem != nil && v.pep.IsPostRelease() && !v.pep.IsPreRelease() && v.sem.Prerelease() != "":
		return Version{}, fmt.Errorf("%q comes after its release by PEP 440 and before it as a semantic version; expected %s, or a pre-release with letters, such as -rc.1", text, v.pep)
	}
	return v, nil
}

// compare returns -1, 0 or 1, by PEP 440 where both versions are of it.
func compare(a, b Version) (int, error) {
	switch {
	case a.pep != nil && b.pep != nil:
		return a.pep.Compare(*b.pep), nil
	case a.sem != nil && b.sem != nil:
		return a.sem.Compare(b.sem), nil
	}
	return 0, fmt.Errorf("%s and %s are of two forms, PEP 440 and semantic versions, and cannot be compared", a, b)
}
