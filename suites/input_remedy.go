package suites

import "github.com/embedcontract/embedcontract/harness/contract"

const (
	foreignCheck = "input_forms/foreign-ids"
	ownCheck     = "input_forms/own-ids"
)

// textRemedy is what clients do that tokenise beforehand. It can be proved with ids of which the text is known: those of
// OpenAI's vocabulary, and those that the reference tells of a text.
func textRemedy() contract.Check {
	text := func(r, k contract.Evidence) contract.Proof {
		if ids := r.Read[ownCheck].Step("ids"); ids.Status != 0 {
			return sameVector(ids, k.Read[foreignCheck].Step("text")) // the same text
		}
		return notProved("the text of these ids is not known: the reference tells of no text which ids it has")
	}
	unlessRefused := func(check, step string) bridge {
		return bridge{check, func(r, k contract.Evidence) contract.Proof {
			if s := r.Read[check].Step(step); !s.OK() {
				return nothingKept(s)
			}
			return text(r, k)
		}}
	}
	overLongIDs := unlessRefused("truncation/token-ids", "over-long")
	served := overLongIDs.prove
	overLongIDs.prove = func(r, k contract.Evidence) contract.Proof {
		p := served(r, k)
		if s := r.Read[longCheck].Step("over-long"); p.Holds && !s.OK() { // where it was served, truncation/over-long says what became of it
			return notProved("over-long ids were served, and an over-long text was not: %s", s.Describe())
		}
		return p
	}
	return remedy(remedied{
		id:     "input_forms/text-in-place-of-ids",
		change: "send text in place of token ids (LangChain: check_embedding_ctx_length=False)",
		why:    "ids mean something to one vocabulary only; text means the same to every server",
		from:   []string{"input-token-arrays", "input-foreign-ids", "langchain_openai: OpenAIEmbeddings.check_embedding_ctx_length"},
		reads:  []string{foreignCheck},
		peeks:  []string{ownCheck, longCheck},
		bridges: []bridge{
			{foreignCheck, func(r, k contract.Evidence) contract.Proof {
				ids := r.Read[foreignCheck].Step("ids")
				if !ids.OK() { // clients that were told may be served another text now: with the text they are not
					p := sameVector(r.Read[foreignCheck].Step("text"), k.Read[foreignCheck].Step("text"))
					p.Observed += ", of the text; the reference refuses ids"
					return p
				}
				if p := sameVector(ids, r.Read[foreignCheck].Step("text")); !p.Needless && !p.Holds {
					return contract.Proof{Needless: true, Observed: "the reference takes the ids for another text: nobody wants that back"}
				}
				return sameVector(ids, k.Read[foreignCheck].Step("text"))
			}},
			unlessRefused("input_forms/token-ids", "ids"), unlessRefused("input_forms/nested-ids", "nested"),
			overLongIDs,
		},
	})
}
