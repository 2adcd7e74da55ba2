package planfiles

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

func TestSamples(t *testing.T) {
	sourcetest.Samples{Seed: "planning-files", Dir: os.Getenv("SAMPLES"), Meets: meets, Reasons: map[string]string{}}.Run(t, New())
}

// meets reports whether a plan continues at the expected step. The argument "resume" gives this step as "heading / step", as in the file,
// with long texts shortened. The phase number and the status in the heading are ignored.
func meets(file, resume string, found []sources.Found) bool {
	at := slices.IndexFunc(found, func(f sources.Found) bool { return f.Files[0] == file })
	if at < 0 || resume == "-" {
		return at >= 0 && found[at].Point.Task == "" || at < 0 && resume == "-"
	}
	head, step, stepped := strings.Cut(resume, " / ")
	if stepped && isGroup(head) {
		head, stepped = step, false
	}
	_, head, _ = nameOf(head)
	head, _ = suffix(head)
	want := strings.TrimSpace(head)
	if stepped {
		want += " / " + strings.TrimSpace(step)
	}
	plain := strings.NewReplacer("**", "", "`", "")
	return strings.HasPrefix(plain.Replace(found[at].Point.Title), plain.Replace(want))
}
