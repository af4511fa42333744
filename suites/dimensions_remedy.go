package suites

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

const reducedCheck = "dimensions/reduced-256"

// dimRemedy is what clients do that want short vectors of a server which refuses to make them. It holds for models that
// were trained so that a prefix means something (Matryoshka), and wherever the reference did nothing else itself.
func dimRemedy() contract.Check {
	m := remedied{
		id:     "dimensions/slice-on-client",
		change: "leave dimensions out; cut each vector to the wanted length, and divide it by its norm unless the index holds plain slices",
		why:    "a server that honours dimensions does nothing else, unless the model has a projection of its own",
		from:   []string{"dim-reduce-is-prefix", "https://arxiv.org/abs/2205.13147"},
		reads:  []string{reducedCheck},
	}
	for _, asked := range [][2]string{ // check and step; those that nobody should send are served by some
		{reducedCheck, "reduced"}, {"dimensions/native-value", "native"}, {"dimensions/above-native", "asked"}, {"dimensions/zero", "asked"},
		{"dimensions/negative", "asked"}, {"dimensions/one", "asked"}, {"dimensions/unlisted-size", "asked"}, {"dimensions/string", "asked"},
		{"dimensions/fraction", "asked"}, {"dimensions/boolean", "asked"}, {"dimensions/null", "null"},
	} {
		m.bridges = append(m.bridges, bridge{asked[0], func(r, k contract.Evidence) contract.Proof {
			return sliced(r.Read[asked[0]].Step(asked[1]), k.Read[reducedCheck].Step("full"))
		}})
	}
	m.bridges = append(m.bridges, bridge{"dimensions/reduced-batch", func(r, k contract.Evidence) contract.Proof {
		const id = "dimensions/reduced-batch"
		return slicedAll(r.Read[id].Step("reduced"), k.Read[id].Step("full"), len(batchTexts()))
	}})
	for _, k := range sdks() {
		served, refusedNow := "witnesses/"+k.name+"-"+statement.Default, "witnesses/"+k.name+"-"+statement.Error
		m.peeks = append(m.peeks, served)
		m.bridges = append(m.bridges, bridge{refusedNow, func(r, k contract.Evidence) contract.Proof {
			return withoutHuge(r.Read[refusedNow].Step(toldStep), r.Read[served].Step(rawStep+"0"), k.Read[served].Step(rawStep+"0"))
		}})
	}
	return remedy(m)
}

// withoutHuge is the proof of a request for more dimensions than there are, which the reference serves to an SDK. What the SDK
// reads of that may be garbage, which nobody wants back: the reference's vector of the text is what the candidate must give.
func withoutHuge(told, before, after contract.Step) contract.Proof {
	if out, err := statement.Read(told); err != nil || out.Error != nil {
		return contract.Proof{Needless: true, Observed: "the reference does not serve it to the SDK"}
	}
	return sameVector(before, after)
}

// sliced compares the vector that the reference shortened with the candidate's full one, shortened by the client.
func sliced(short, full contract.Step) contract.Proof {
	want, err := short.One()
	if err != nil {
		return nothingKept(short)
	}
	got, err := full.One()
	if err != nil {
		return notProved("without dimensions: %s", full.Describe())
	}
	return sameVectors([][]float32{want}, [][]float32{asTheReference(want, got)})
}

func slicedAll(short, full contract.Step, n int) contract.Proof {
	want, err := short.Many(n)
	if err != nil {
		return nothingKept(short)
	}
	got, err := full.Many(n)
	if err != nil {
		return notProved("without dimensions: %s", full.Describe())
	}
	for i := range got {
		got[i] = asTheReference(want[i], got[i])
	}
	return sameVectors(want, got)
}

// asTheReference cuts a vector to the length of the reference's. It is divided by its norm only where the reference's was:
// an index of plain slices holds plain slices.
func asTheReference(want, full []float32) []float32 {
	if len(want) > len(full) {
		return full
	}
	if _, unit := parity.Unit(want); unit {
		return parity.Prefix(full, len(want))
	}
	return full[:len(want)]
}
