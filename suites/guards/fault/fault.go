// Package fault is what instrumented classifiers call: each condition, number and variant of theirs passes through it
// and comes out as it went in, unless its fault is the one that is switched on. Only a test binary whose sources were
// instrumented by package guards calls it, so the state that it keeps for the process is out of every other program.
package fault

import "sync/atomic"

// None is the fault of classifiers that are as they were written.
const None = -1

var (
	active  atomic.Int64 // the fault, counted from 1
	reached atomic.Pointer[func(id int, v bool)]

	mistaken atomic.Pointer[func(v string) string]
)

// Set switches one fault on in place of another; None switches it off.
func Set(id int) { active.Store(int64(id) + 1) }

// Active is the fault that is switched on, or None.
func Active() int { return int(active.Load()) - 1 }

// OnReach calls back with the id of the first fault of each place that is passed, and with the condition there as it is
// without a fault; it is true at numbers and variants. nil: no longer.
func OnReach(f func(id int, v bool)) {
	if f == nil {
		reached.Store(nil)
		return
	}
	reached.Store(&f)
}

func at(id int, v bool) int64 {
	if f := reached.Load(); f != nil {
		(*f)(id, v)
	}
	return active.Load() - 1 - int64(id)
}

// Condition is the condition v, or true by the fault id, or false by the fault id+1.
func Condition[T ~bool](id int, v T) T {
	switch at(id, bool(v)) {
	case 0:
		return true
	case 1:
		return false
	}
	return v
}

// OnText says what a variant is taken for by mistake; nil, or an empty answer: for one that there is not.
func OnText(f func(v string) string) {
	if f == nil {
		mistaken.Store(nil)
		return
	}
	mistaken.Store(&f)
}

// Text is the constant v, or by the fault id another one.
func Text[T ~string](id int, v T) T {
	if at(id, true) != 0 {
		return v
	}
	if f := mistaken.Load(); f != nil {
		if other := (*f)(string(v)); other != "" {
			return T(other)
		}
	}
	return "broken " + v
}

// factor is by how much a number is wrong: a bar that may be moved as far is none.
const factor = 10

// smallInteger is where one more or less takes the place of factor.
const smallInteger = 20

type number interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Number is the constant v, or by the fault id a greater one, or by the fault id+1 a smaller one: ten times or a tenth;
// integers near 0, which count things, by one.
func Number[T number](id int, v T) T {
	d := at(id, true)
	if d != 0 && d != 1 {
		return v
	}
	half := 0.5
	if whole := T(half) == 0; whole && v < smallInteger { // a conversion of a constant would not compile for integers
		if d == 0 {
			return v + 1
		}
		return v - 1
	}
	if d == 0 {
		return v * factor
	}
	return v / factor
}
