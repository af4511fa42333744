package recording

import "math"

const (
	// maxDigits is how many digits of a number are surely below 2^64.
	maxDigits = 19
	// exactInteger is the number up to which each whole number is a float64.
	exactInteger = 1 << 53
	// smallestNormal is the least float32 with all its digits.
	smallestNormal = 0x1p-126
	// halfway is what is left of a float64 below the digits of a float32 when it lies between two of those.
	halfway  = 1 << 28
	leftOver = 1<<29 - 1
)

// powersOfTen are those that are a float64 without rounding.
var powersOfTen = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal reads a number of a common kind as the nearest float32, as strconv does. False: it is none, or one that takes
// more thought; then nothing was read.
//
// Digits and power of ten are float64 without rounding, so that their quotient or product is rounded once. Rounding that
// again is right unless it lies halfway between two float32, where the first rounding may have moved it.
func (c *cursor) decimal() (float32, bool) {
	start := c.at
	negative := c.take('-')
	digits, power, ok := c.scientific()
	if !ok || digits >= exactInteger || power >= len(powersOfTen) || -power >= len(powersOfTen) {
		c.at = start
		return 0, false
	}
	x := float64(digits)
	if power < 0 {
		x /= powersOfTen[-power]
	} else {
		x *= powersOfTen[power]
	}
	if math.Float64bits(x)&leftOver == halfway || digits != 0 && x < smallestNormal || x > math.MaxFloat32 {
		c.at = start
		return 0, false
	}
	if negative {
		x = -x
	}
	return float32(x), true
}

// scientific reads a number without its sign as digits times a power of ten.
func (c *cursor) scientific() (digits uint64, power int, ok bool) {
	start := c.at
	read := func() {
		for b := c.peek(); '0' <= b && b <= '9'; b = c.peek() {
			digits = digits*10 + uint64(b-'0')
			c.at++
		}
	}
	if !c.take('0') {
		read()
	}
	if c.at == start {
		return 0, 0, false
	}
	if c.take('.') {
		point := c.at
		if read(); c.at == point {
			return 0, 0, false
		}
		power = point - c.at
	}
	if c.at-start > maxDigits {
		return 0, 0, false // it may have gone round
	}
	if c.take('e') || c.take('E') {
		less := c.take('-')
		if !less {
			c.take('+')
		}
		first := c.at
		n := 0
		for b := c.peek(); '0' <= b && b <= '9' && c.at-first < 3; b = c.peek() {
			n = n*10 + int(b-'0')
			c.at++
		}
		if c.at == first {
			return 0, 0, false
		}
		if less {
			n = -n
		}
		power += n
	}
	if b := c.peek(); '0' <= b && b <= '9' {
		return 0, 0, false // an exponent of many digits
	}
	return digits, power, true
}
