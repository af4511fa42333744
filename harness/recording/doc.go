// Package recording keeps what a target answered, so that it can be judged again without the target.
//
// A recording is a folder with two files.
//
//   - exchanges.jsonl: one JSON object a line. First the header, last the footer, between them, in the order in
//     which they happened: the plan, exchanges, log lines of the server, and the end of each check.
//   - vectors.f32: little-endian float32 values, to which exchanges refer by offset and count.
//
// The body of an answer is kept byte for byte, with one exception: an "embedding" that is a flat list of finite
// numbers within the range of float32 moves to vectors.f32 and leaves "[]" behind; the digest of the original
// bytes is kept. Whatever is malformed stays as it was. Of a batch of more than 128 vectors, 16 are kept so, and of
// the others the length and the norm; of a body that is still longer than 4 MiB, its head.
//
// A step can also be an action in place of an exchange: time that was let pass, a worker that was stopped, an SDK
// that asked. Its body is what the action had to say.
//
// Facts and plan have a line of their own and are not in the header, because the facts of a reference are known
// only after it was asked, and the header is written before the first question so that a crash leaves evidence.
//
// Files are only appended to, a line at a time. A recording without its footer, with another digest or of
// another major version is refused with an error of its own: ErrIncomplete, ErrDigest, ErrVersion.
package recording

// Format and Version are in every header. The major version changes when an old reader would misread a new file.
const (
	Format  = "embedcontract-recording"
	Version = "1.1"

	exchangesFile = "exchanges.jsonl"
	vectorsFile   = "vectors.f32"
)
