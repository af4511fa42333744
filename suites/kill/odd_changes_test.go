package kill_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// answered is a step with another status and body, and without vectors.
func answered(status int, body string) func(*contract.Step) {
	return func(s *contract.Step) {
		s.Status, s.Fault, s.Body, s.Size, s.Vectors = status, "", []byte(body), len(body), nil
	}
}

// refusedWith is a step that was refused, or sent elsewhere.
func refusedWith(code int) func(*contract.Step) {
	return answered(code, `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}`)
}

// asItWas changes nothing: the server is odd enough.
func asItWas(*contract.Step) {}

// page is 200 with something that is no answer.
func page(s *contract.Step) { answered(200, "<html><body>It works!</body></html>")(s) }

// data is 200 with a list of the embeddings, as JSON, and without usage.
func data(embeddings ...string) func(*contract.Step) {
	items := make([]string, len(embeddings))
	for i, e := range embeddings {
		items[i] = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, e)
	}
	return answered(200, `{"object":"list","model":"`+killModel+`","data":[`+strings.Join(items, ",")+`]}`)
}

// faulty is a step that got no answer.
func faulty(f contract.Fault) func(*contract.Step) {
	return func(s *contract.Step) {
		answered(0, "")(s)
		s.Fault = f
	}
}

// renamed takes a step away: nobody looks for its new name.
func renamed(s *contract.Step) { s.Name = "odd" }

// vector changes the vector of one item.
func vector(item int, change func([]float32) []float32) func(*contract.Step) {
	return func(s *contract.Step) { s.Vectors[item].Values = change(s.Vectors[item].Values) }
}

// all changes each vector of an answer.
func all(change func([]float32) []float32) func(*contract.Step) {
	return func(s *contract.Step) {
		for i := range s.Vectors {
			vector(i, change)(s)
		}
	}
}

func zeroed(was []float32) []float32 { return make([]float32, len(was)) }
func halved(was []float32) []float32 { return was[:len(was)/2] }

// across is a vector of the same length that is near nothing.
func across(was []float32) []float32 { return turned(was, 0.5) }

// opposite is the vector in the other direction.
func opposite(was []float32) []float32 {
	v := make([]float32, len(was))
	for i := range v {
		v[i] = -was[i]
	}
	return v
}

// axis is a vector of one 1 and zeros.
func axis(was []float32) []float32 {
	v := make([]float32, len(was))
	v[0] = 1
	return v
}

// withVector is 200 with one vector.
func withVector(values []float32) func(*contract.Step) {
	return func(s *contract.Step) {
		data("[]")(s)
		s.Vectors = []contract.Vector{{Offset: strings.Index(string(s.Body), "[]"), Values: values}}
	}
}

// counting is an answer that counts other tokens; -1: none.
func counting(tokens int) func(*contract.Step) {
	usage := regexp.MustCompile(`"usage":\{[^}]*\}`)
	return func(s *contract.Step) {
		with := "null"
		if tokens >= 0 {
			with = fmt.Sprintf(`{"prompt_tokens":%d,"total_tokens":%d}`, tokens, tokens)
		}
		s.Body = usage.ReplaceAll(s.Body, []byte(`"usage":`+with))
	}
}

// packed changes the numbers in the first base64 string of an answer.
func packed(change func([]float32) []float32) func(*contract.Step) {
	text := regexp.MustCompile(`"embedding":"([^"]*)"`)
	return func(s *contract.Step) {
		var was string
		at := text.FindSubmatchIndex(s.Body)
		_ = json.Unmarshal(s.Body[at[2]-1:at[3]+1], &was) // a string of the emulator's own
		raw, _ := base64.StdEncoding.DecodeString(was)
		v := make([]float32, len(raw)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		now := base64.StdEncoding.EncodeToString(bytesOf(change(v)))
		s.Body = []byte(string(s.Body[:at[2]]) + now + string(s.Body[at[3]:]))
	}
}

// lengthened puts a character behind each base64 string that no alphabet has.
func lengthened(s *contract.Step) { longerText("!")(s) }

// longerText puts something behind each base64 string.
func longerText(tail string) func(*contract.Step) {
	return func(s *contract.Step) {
		s.Body = regexp.MustCompile(`("embedding":"[^"]*)"`).ReplaceAll(s.Body, []byte("${1}"+tail+`"`))
	}
}

// bytesOf are the little-endian bytes of the numbers.
func bytesOf(v []float32) []byte {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

// infinite has an infinity for its first number.
func infinite(was []float32) []float32 {
	v := append([]float32{float32(math.Inf(1))}, was[1:]...)
	return v
}

// allInfinite has nothing else.
func allInfinite(was []float32) []float32 {
	v := make([]float32, len(was))
	for i := range v {
		v[i] = float32(math.Inf(1))
	}
	return v
}

// oneMore repeats the first item of an answer with a base64 string.
func oneMore(s *contract.Step) {
	text := string(s.Body)
	from := strings.Index(text, `"data":[`) + len(`"data":[`)
	to := from + strings.Index(text[from:], "}") + 1
	s.Body = []byte(text[:to] + "," + text[from:])
}

// indexed gives the item of an answer that has one index another one.
func indexed(was, index string) func(*contract.Step) {
	item := regexp.MustCompile(`"index":` + was + `\b`)
	return func(s *contract.Step) { s.Body = item.ReplaceAll(s.Body, []byte(`"index":`+index)) }
}
