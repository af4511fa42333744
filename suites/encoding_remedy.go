package suites

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// floatRemedy is what clients do whose server answers base64 otherwise than before: what they read then does not depend
// on it.
func floatRemedy() contract.Check {
	asked := func(k contract.Evidence) contract.Step { return k.Read[stringCheck].Step("float") }
	m := remedied{
		id:     "encoding_format/ask-for-float",
		change: "send encoding_format float with every request, also through an SDK",
		why:    "the SDKs for Python and Node ask for base64 of themselves; numbers are read alike by all",
		from:   []string{"enc-default-float", "enc-sdk-node-default", "https://github.com/openai/openai-node/issues/1542"},
		reads:  []string{stringCheck},
		bridges: []bridge{
			{stringCheck, func(r, k contract.Evidence) contract.Proof {
				if s := r.Read[stringCheck].Step("base64"); !s.OK() {
					return nothingKept(s)
				}
				return sameVector(r.Read[stringCheck].Step("float"), asked(k))
			}},
			// What Node's SDK read before may have been garbage: nobody wants that back, and the numbers are right.
			{"encoding_format/node-sdk-default", func(r, k contract.Evidence) contract.Proof {
				return sameVector(r.Read[stringCheck].Step("float"), asked(k))
			}},
			bySteps("encoding_format/invalid", "hex", asked), bySteps("encoding_format/case", "case", asked),
			bySteps("encoding_format/bytes", "bytes", asked), bySteps("encoding_format/null", "null", asked),
		},
	}
	for _, k := range sdks() {
		if !k.asksBase64 {
			continue
		}
		told := "witnesses/" + k.name + "-" + statement.Float
		m.peeks = append(m.peeks, told)
		for _, scenario := range []string{statement.Default, statement.Batch} {
			m.bridges = append(m.bridges, bridge{"witnesses/" + k.name + "-" + scenario, func(r, k contract.Evidence) contract.Proof {
				return toldAsFloat(r.Read[told], k.Read[told])
			}})
		}
	}
	return remedy(m)
}

// toldAsFloat compares what an SDK hands on of the candidate, when it asks for numbers, with what the reference answers by
// raw HTTP.
func toldAsFloat(reference, candidate contract.Evidence) contract.Proof {
	raw := reference.Step(rawStep + "0")
	want, err := raw.One()
	if err != nil {
		return nothingKept(raw)
	}
	out, err := statement.Read(candidate.Step(toldStep))
	switch {
	case err != nil:
		return notProved("%v", err)
	case out.Error != nil:
		return notProved("%s; %s", contract.Shorten(out.Error.Text, shownOfText), calls(out))
	case len(out.Data) != 1:
		return notProved("the SDK hands on %d items for one text", len(out.Data))
	}
	same, observed := reads(out.Data[0], want, parity.PeerBar)
	return contract.Proof{Holds: same, Observed: observed}
}
