//go:build browser

package html

import (
	"bytes" // matrix.go has a function of that name
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// mostOfPicture is what one picture may take in the repository, in bytes.
const mostOfPicture = 250_000

// small encodes a picture with the 256 colours that it has most of; text and areas need no more.
func small(data []byte) ([]byte, error) {
	src, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	count, box := map[color.Color]int{}, src.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			count[src.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	palette := color.Palette(colours[:min(len(colours), 256)])
	out, nearest := image.NewPaletted(box, palette), map[color.Color]uint8{}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			c := src.At(x, y)
			i, known := nearest[c]
			if !known {
				i = uint8(palette.Index(c))
				nearest[c] = i
			}
			out.SetColorIndex(x, y, i)
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}

// TestPictures writes the pictures of the README where -pictures says; else it sees that they can be made.
func TestPictures(t *testing.T) {
	r := real(t)
	text := written(t, r)
	for _, p := range []struct {
		name          string
		width, height int64
		setup         []step
		then          []step
	}{
		{name: "report-light", width: 1280, height: 1400},
		{name: "report-matrix", width: 1280, height: 1000, then: []step{click("#behaviour-dimensions .fold"),
			run(`document.getElementById("matrix").scrollIntoView()`), run(`scrollBy(0, 90)`)}},
		{name: "report-plots", width: 1280, height: 1150, then: []step{run(`document.getElementById("pictures").scrollIntoView()`), run(`scrollBy(0, 90)`)}},
		{name: "report-dark", width: 1280, height: 1000, setup: []step{scheme("dark")}, then: []step{
			click("#behaviour-dimensions .fold"), run(`document.documentElement.style.scrollBehavior = "auto"; document.getElementById("behaviour-dimensions").scrollIntoView()`),
			click(`td.cell a[href="#cell-dimensions-reduced-256-dynamo-1.6.1"]`)}},
		{name: "report-print", width: 794, height: 1123, setup: []step{printed()}, then: []step{
			run(`document.body.style.padding = "12mm"; document.getElementById("check-dimensions-reduced-256").scrollIntoView()`)}},
		{name: "report-narrow", width: 390, height: 1400, then: []step{click("#show-is-silent"),
			run(`document.getElementById("matrix").scrollIntoView()`)}},
	} {
		ctx := tab(t, text, p.width, p.height, p.setup...)
		do(ctx, t, p.then...)
		shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
		if err != nil {
			t.Fatal(err)
		}
		if shot, err = small(shot); err != nil {
			t.Fatal(err)
		}
		if len(shot) > mostOfPicture {
			t.Errorf("%s: the picture has %d bytes", p.name, len(shot))
		}
		if len(shot) < 10_000 {
			t.Errorf("%s: the picture has only %d bytes", p.name, len(shot))
		}
		if *pictures == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(*pictures, p.name+".png"), shot, 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s: %d bytes\n", p.name, len(shot))
	}
}
