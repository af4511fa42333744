package contract

// Weights says what stands behind the vectors of a target. Of random weights no question about the meaning of texts
// can be asked, such as which of two documents is nearer to a query.
type Weights string

// The weights that a target file declares. The zero value is that nobody said.
const (
	RandomWeights  Weights = "random"  // drawn, not trained; also of vectors that are computed without a model
	TrainedWeights Weights = "trained" // of a model that was trained to embed
)

// Known says whether the value is one of those that can be declared. In a recording anything may stand.
func (w Weights) Known() bool { return w == RandomWeights || w == TrainedWeights }
