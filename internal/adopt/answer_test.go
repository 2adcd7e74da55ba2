package adopt

import (
	"errors"
	"testing"
)

func TestAnswer_isOneOfTheOptions(t *testing.T) {
	options := []string{"staging", "production"}
	for _, c := range []struct {
		text, want string
		own        bool
	}{
		{text: "1", want: "staging"}, {text: "2", want: "production"}, {text: " 2 ", want: "production"}, {text: "Production", want: "production"},
		{text: "7"}, {text: "0"}, {text: "-1"}, {text: "s"}, {text: "stag"}, {text: "?"}, {text: "staging!"}, {text: "1.0"}, {text: "one"},
		{text: "7", own: true, want: "7"}, {text: "on my machine", own: true, want: "on my machine"},
	} {
		got, err := AnswerRequest{Run: "job-abcd", Task: "where", Text: c.text, Own: c.own}.Chosen(options)
		var none *OptionError
		if refused := errors.As(err, &none); got != c.want || refused != (c.want == "") {
			t.Errorf("%q (own %v) is stored as %q, %v; want %q", c.text, c.own, got, err, c.want)
		}
	}
	if got, err := (AnswerRequest{Text: "whatever"}).Chosen(nil); got != "whatever" || err != nil {
		t.Errorf("without options: %q, %v", got, err)
	}
}
