package kill_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// The environment of the tests of order. The seed that a failing test prints, given again, repeats it.
const (
	orderSeedEnv = "EMBEDCONTRACT_ORDER_SEED"
	allPairsEnv  = "EMBEDCONTRACT_ALL_PAIRS" // 1: any two checks together, and each alone of every server (minutes)
)

const (
	// randomOrders is in how many orders the suite is asked of each server.
	randomOrders = 2
	// pairSample is how many pairs of checks are asked together, of all servers alike.
	pairSample = 120
	// aloneShare of the checks are asked alone of the servers other than the base, a sample of one in so many.
	aloneShare = 8
)

// orderSeed is where chance begins in this run.
func orderSeed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(orderSeedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", orderSeedEnv, err)
		}
	}
	t.Logf("to repeat this: %s=%d", orderSeedEnv, seed)
	return seed
}

func chance(seed uint64, salt int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(salt))) }

// orderServer is a server that is asked in other orders than that of the suite.
type orderServer struct {
	name    string
	p       emulator.Personality
	declare func(*contract.Facts)
	variant map[string]string // by check: what it shows
}

// orderServers are the base and two that deviate from it all over, with a model as small. The base shows what it shows in
// the order of the suite, the others what they show in the first random order.
func orderServers(t *testing.T, l *lab, seed uint64) []*orderServer {
	t.Helper()
	const small = "model: {native: 264, limit: 192}\nrequest: {max_body_mb: 1}"
	base, err := emulator.Parse("base", []byte(killBase))
	if err != nil {
		t.Fatal(err)
	}
	servers := []*orderServer{{name: "base", p: base, variant: l.cells}}
	for _, name := range []string{"legacy", "dynamo-1.6"} {
		p, err := emulator.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.With([]byte(small)); err != nil {
			t.Fatal(err)
		}
		s := &orderServer{name: name, p: p, variant: map[string]string{}}
		if name == "dynamo-1.6" {
			s.declare = func(f *contract.Facts) { f.QueryPrefix = "" }
		}
		ids := shuffled(l, seed, 0)
		rec := s.ask(t, l, ids, s.fresh)
		for _, id := range ids {
			s.judge(l, rec, id, func(cell, variant string) { s.variant[cell] = variant })
		}
		servers = append(servers, s)
	}
	return servers
}

// shuffled names the checks in the n-th random order, but for the heavy ones.
func shuffled(l *lab, seed uint64, n int) []string {
	ids := inOrder(l, true)
	chance(seed, n).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids
}

// inOrder names the checks in the order of the suite, but for the heavy ones.
func inOrder(l *lab, extended bool) (ids []string) {
	for _, c := range l.suite.Checks() {
		if (extended || !c.Extended) && !slices.Contains(heavyChecks(), c.ID) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// alone names the checks one by one, but for those that ask nothing themselves and read the same others: whichever of
// them is asked alone, the server is asked the same.
func alone(l *lab) (groups [][]string) {
	of := map[string]int{} // group, by what is read
	for _, id := range inOrder(l, true) {
		c, _ := l.suite.Check(id)
		if momentary(l, id) {
			continue
		}
		if c.Probe == nil {
			reads := strings.Join(slices.Sorted(slices.Values(c.Reads)), " ")
			if at, known := of[reads]; known {
				groups[at] = append(groups[at], id)
				continue
			}
			of[reads] = len(groups)
		}
		groups = append(groups, []string{id})
	}
	return groups
}

// fresh starts a server of its own.
func (s *orderServer) fresh() (http.RoundTripper, actor, error) {
	h, err := emulator.New(s.p)
	if err != nil {
		return nil, nil, err
	}
	a, _ := h.(actor)
	return inMemory{h}, a, nil
}

// first starts a server, and hands it over when it is wanted for the first time; after that it starts others.
func (s *orderServer) first(t *testing.T) (http.RoundTripper, func() (http.RoundTripper, actor, error)) {
	t.Helper()
	transport, a, err := s.fresh()
	if err != nil {
		t.Fatal(err)
	}
	given := false
	return transport, func() (http.RoundTripper, actor, error) {
		if given {
			return s.fresh()
		}
		given = true
		return transport, a, nil
	}
}

func (s *orderServer) ask(t *testing.T, l *lab, ids []string, start func() (http.RoundTripper, actor, error)) *recording.Recording {
	t.Helper()
	rec, err := l.ask(mutant{name: s.name, order: ids, declare: s.declare}, 1, start)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// judge hands over the variant of a check, and of a pair with the base in both directions.
func (s *orderServer) judge(l *lab, rec *recording.Recording, id string, to func(cell, variant string)) {
	c, _ := l.suite.Check(id)
	if !c.Pair() {
		cell := l.judge.Target(rec, c)
		to(id, cell.Variant())
		return
	}
	there, back := l.judge.Pair(l.base, rec, c), l.judge.Pair(rec, l.base, c)
	to(id, there.Variant())
	to(id+asReference, back.Variant())
}

// momentary checks disrupt a server, or read of it, and get one of their own whatever was asked before. What they show is
// a matter of milliseconds, which nobody has on a busy machine. They are asked, for what they do to those that follow.
func momentary(l *lab, id string) bool {
	c, _ := l.suite.Check(id)
	return c.Disrupts || slices.ContainsFunc(c.Reads, func(read string) bool { return momentary(l, read) })
}

// same compares what the checks show with what they show otherwise.
func (s *orderServer) same(t *testing.T, l *lab, rec *recording.Recording, ids []string, how string) {
	t.Helper()
	for _, id := range ids {
		if momentary(l, id) {
			continue
		}
		s.judge(l, rec, id, func(cell, variant string) {
			if variant != s.variant[cell] {
				t.Errorf("%s, %s: %s is %s, otherwise %s", s.name, how, cell, variant, s.variant[cell])
			}
		})
	}
}

// TestChecksDoNotDependOnOrder asks in random orders, then once more of a server that has answered everything, then each
// check alone, and then two together: a check must show the same each time.
func TestChecksDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	seed := orderSeed(t)
	servers := orderServers(t, l, seed)
	for _, s := range servers {
		for n := range randomOrders {
			if n == 0 && s.name != "base" {
				continue // by which the others are judged
			}
			t.Run(fmt.Sprintf("%s order %d", s.name, n), func(t *testing.T) {
				t.Parallel()
				ids := shuffled(l, seed, n)
				first, start := s.first(t)
				s.same(t, l, s.ask(t, l, ids, start), ids, "in a random order")
				if n == 0 {
					return
				}
				ids = inOrder(l, false)
				s.same(t, l, s.ask(t, l, ids, fixed(first)), ids, "again, of the same server")
			})
		}
	}
	everything := os.Getenv(allPairsEnv) == "1"
	random := chance(seed, randomOrders)
	for _, s := range servers {
		for _, alike := range alone(l) {
			if s.name != "base" && !everything && random.IntN(aloneShare) > 0 {
				continue
			}
			t.Run(s.name+" alone "+alike[0], func(t *testing.T) {
				t.Parallel()
				s.same(t, l, s.ask(t, l, alike[:1], s.fresh), alike, "alone")
			})
		}
	}
	for _, p := range pairs(t, l, servers, random, everything) {
		t.Run(p.s.name+" "+p.first, func(t *testing.T) {
			t.Parallel()
			for _, second := range p.second {
				both := []string{p.first, second}
				p.s.same(t, l, p.s.ask(t, l, both, p.start), both, strings.Join(both, " before "))
			}
		})
	}
}

// pairing is a check that is asked before others, one at a time.
type pairing struct {
	s      *orderServer
	start  func() (http.RoundTripper, actor, error) // one server for all pairs: what it was asked before must not matter
	first  string
	second []string
}

// pairs are any two checks of every run on each server, or a sample of them.
func pairs(t *testing.T, l *lab, servers []*orderServer, random *rand.Rand, all bool) (out []pairing) {
	t.Helper()
	ids := inOrder(l, false)
	for _, s := range servers {
		transport, _, err := s.fresh()
		if err != nil {
			t.Fatal(err)
		}
		for range pairSample / len(servers) {
			if all {
				break
			}
			out = append(out, pairing{s, fixed(transport), ids[random.IntN(len(ids))], []string{ids[random.IntN(len(ids))]}})
		}
		for _, first := range ids {
			if all {
				out = append(out, pairing{s, fixed(transport), first, slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == first })})
			}
		}
	}
	return out
}
