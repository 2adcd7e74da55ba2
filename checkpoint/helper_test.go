package checkpoint

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

var atWork = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

const testRun = RunID("work-abcd")

// testKey is this user's key in tests without a repository.
var testKey = NewKey([]byte("a secret of thirty-two bytes...."), "a clone")

func line(seq int64, id string, e Event) Line {
	e.Seq, e.ID, e.V = SeqText(seq), id, Version
	if e.At.IsZero() {
		e.At = atWork.Add(time.Duration(seq) * time.Second)
	}
	text, err := e.Encode()
	if err != nil {
		panic(err)
	}
	return ParseLine(string(text[:len(text)-1]))
}

func same(a, b Run) bool { return asJSON(a) == asJSON(b) }

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}

func sortedCopy(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return out
}
