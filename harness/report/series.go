package report

import (
	"math"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// series keeps what can be drawn: values that are no numbers have no place on an axis, and none in JSON. Digits that no
// picture shows are left out.
func series(all []contract.Series) []Series {
	var out []Series
	for _, s := range all {
		kept := Series{Name: s.Name, Values: []float64{}}
		for i, v := range s.Values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			kept.Values = append(kept.Values, toDigits(v, digits(s.Name)))
			if i < len(s.Of) {
				kept.Of = append(kept.Of, s.Of[i])
			}
		}
		if len(kept.Values) > 0 {
			out = append(out, kept)
		}
	}
	return out
}

// digits is how many of each value are kept: more than a picture shows, and enough of norms, which differ from 1 by 1e-8
// and less.
func digits(series string) int {
	if series == contract.Norms {
		return 12
	}
	return 4
}

func toDigits(v float64, n int) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	return short
}

// place finds the file and line of the function that decides a check, from the root of the project, whatever folder it was
// built in.
func place(c contract.Check) string {
	decides := reflect.ValueOf(c.Classify)
	if c.Pair() {
		decides = reflect.ValueOf(c.Compare)
	}
	_, here, _, _ := runtime.Caller(0)
	root := strings.TrimSuffix(here, "harness/report/"+path.Base(filepath.ToSlash(here)))
	f := runtime.FuncForPC(decides.Pointer())
	if f == nil {
		return ""
	}
	file, line := f.FileLine(f.Entry())
	from, below := strings.CutPrefix(file, root)
	if !below {
		return "" // of another module
	}
	return from + ":" + strconv.Itoa(line)
}
