package commitlog

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	texts := []string{"feat(cards): store gift cards in src/store.go", "Decision Validator Service Implementation", "print blue gift cards", "print red gift cards", "sell", "prepare the shop release 0.2.3"}
	for subject, want := range map[string]int{
		"feat: add gift cards to src/store.go (cards)":          0,
		"feat: implement the decision validator service":        1,
		"Decision validator: a service for trading":             1,
		"wip: decision validator service":                       -1,
		"docs: decision validator service":                      -1,
		"plan the decision validator service":                   -1,
		"fix the decision validator":                            -1, // too few words
		"remove gift cards, vouchers, and bonus points":         -1,
		"print gift cards":                                      -1, // two texts are equally close
		"decision validator service, queue, mail, backup, logs": -1,
		"sell":                        -1,
		"Prepare shop release 0.2.3":  5,
		"Prepare shop release v0.2.3": 5,
		"Prepare shop release":        5,
		"Prepare shop release 0.2.2":  -1, // another version
		"Prepare shop release v0.2":   -1,
	} {
		h := NewHistory([]past.Described{{Logged: past.Logged{ID: "a", Subject: subject, When: now}}})
		found := h.Alike(texts, days(1))
		if len(found[want]) != 1 && want >= 0 || want < 0 && len(found) != 0 {
			t.Errorf("%q: %v, want %d", subject, found, want)
		}
		if found := h.Alike(texts, now); len(found) != 0 {
			t.Errorf("%q is not newer, and still counts", subject)
		}
	}
	merge := past.Described{Logged: past.Logged{ID: "a", Subject: texts[1], When: now}, Parents: []object.ID{"b", "c"}}
	if found := NewHistory([]past.Described{merge}).Alike(texts, time.Time{}); len(found) != 0 {
		t.Errorf("a merge: %v", found)
	}
}
