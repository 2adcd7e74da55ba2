package gitstate_test

import (
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestColour_asGitMeansIt(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, value := range []string{
		"red", "bold red", "red bold", "normal", "brightgreen", "blue yellow", "normal red", "#ff00aa", "214", "nobold", "no-ul", "reverse",
		"bold ul cyan black", "default", "dim", "italic", "strike", "",
	} {
		if value == "default" && !(gittest.Git{}).AtLeast(2, 36) {
			continue // older versions of git do not know this word
		}
		r.Git("config", "color.resume.done", value)
		want := r.Git("config", "--get-color", "color.resume.done", "magenta")
		p, err := locate.Find(r.Dir, r.Env)
		if err != nil {
			t.Fatal(err)
		}
		repo := gitstate.Open(p, r.Env)
		c, err := repo.Settings.Config(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Colour("color.resume.done", "magenta"); got != want {
			t.Errorf("%q is %q, for git %q", value, got, want)
		}
		repo.Close()
	}
}
