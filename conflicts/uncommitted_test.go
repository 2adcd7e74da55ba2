package conflicts_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// attributes are the ways in which git stores files differently from how they are on disk.
var attributes = []struct{ name, attributes, setting, value string }{
	{name: "bytes"},
	{name: "crlf by attribute", attributes: "* text=auto eol=crlf\n"},
	{name: "crlf by setting", setting: "core.autocrlf", value: "true"},
	{name: "ident", attributes: "* ident\n"},
	{name: "filter", attributes: "f* filter=turn\n", setting: "filter.turn.clean", value: "tr a-z b-za"},
}

// TestUncommitted_conflictsAsAfterACommit compares uncommitted files with another branch, for random triples of base, file on disk, and their
// version. The conflicts are those that git finds once the files are committed.
func TestUncommitted_conflictsAsAfterACommit(t *testing.T) {
	if !(gittest.Git{}).AtLeast(2, 38) {
		t.Skip("git before 2.38 cannot merge without a worktree")
	}
	p := gittest.Prove(t, "B", "triples of uncommitted files")
	const perRepo = 60
	for n := 0; p.More(perRepo * len(attributes)); n++ {
		a := attributes[n%len(attributes)]
		t.Run(fmt.Sprintf("%s %d", a.name, n), func(t *testing.T) {
			chance := p.Rand(uint64(n))
			r := gittest.Empty(t)
			if a.setting != "" {
				r.Git("config", a.setting, a.value)
			}
			r.Write(".gitattributes", a.attributes)
			var base, theirs, ours [perRepo]string
			for i := range base {
				base[i] = randomText(chance)
				theirs[i], ours[i] = edited(chance, base[i]), edited(chance, base[i])
				if chance.IntN(6) == 0 {
					ours[i] = theirs[i]
				}
				if a.name == "filter" && base[i] == gone {
					ours[i] = gone // no untracked files, because filters are not run for them
				}
			}
			put := func(texts [perRepo]string) {
				for i, text := range texts {
					path := filepath.Join(r.Dir, fmt.Sprintf("f%d", i))
					switch {
					case text == gone:
						_ = os.Remove(path)
					default:
						gittest.NoError(t, "write", os.WriteFile(path, []byte(text), 0o644))
					}
				}
			}
			commit := func() object.ID {
				r.Git("-c", "core.safecrlf=false", "add", "-A")
				r.Git("commit", "-q", "--allow-empty", "-m", "x")
				return object.ID(r.Git("rev-parse", "HEAD"))
			}
			put(base)
			first := commit()
			r.Git("switch", "-q", "-c", "theirs")
			put(theirs)
			other := commit()
			r.Git("switch", "-q", "-f", "-C", "ours", string(first))
			put(ours)

			repo := repotest.Open(t, r.Dir, r.Env)
			changes, err := repo.Status(t.Context())
			gittest.NoError(t, "status", err)
			var files []string
			for _, c := range changes {
				files = append(files, c.Path)
			}
			rep, err := conflicts.Check(t.Context(), repo, conflicts.Query{Ours: first, Theirs: other, Tree: repo, Files: files, Detail: conflicts.Paths})
			gittest.NoError(t, "check", err)
			var got []string
			for _, c := range rep.Conflicts {
				got = append(got, c.Path)
			}
			for _, n := range rep.Notes {
				if n.Code == conflicts.CannotTell {
					t.Errorf("%s: %s", n.Path, n.Text)
				}
			}
			out, _ := repo.Git(t.Context(), process.Call{Args: []string{"merge-tree", "--write-tree", "--name-only", "--no-messages", string(commit()), string(other)}})
			want := strings.Fields(string(out))[1:]
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("conflicts in %v, git says %v", got, want)
			}
			p.Trial(perRepo)
		})
	}
}

// gone stands for a file that does not exist.
const gone = "\x00"

// randomText returns a short text, most often with a newline at its end.
func randomText(chance *rand.Rand) string {
	if chance.IntN(15) == 0 {
		return gone
	}
	end := []string{"\n", "\n", "\n", "\r\n"}[chance.IntN(4)]
	var b strings.Builder
	for range 1 + chance.IntN(12) {
		b.WriteString(string(rune('a'+chance.IntN(6))) + end)
	}
	text := b.String()
	if chance.IntN(5) == 0 {
		text = strings.TrimRight(text, "\r\n")
	}
	return text
}

// edited returns a text with a few changed, added or removed lines.
func edited(chance *rand.Rand, text string) string {
	switch chance.IntN(12) {
	case 0:
		return gone
	case 1:
		return text
	case 2:
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	if text == gone {
		return randomText(chance)
	}
	all := strings.SplitAfter(text, "\n")
	for range 1 + chance.IntN(3) {
		i := chance.IntN(len(all))
		switch line := string(rune('m'+chance.IntN(4))) + "\n"; chance.IntN(3) {
		case 0:
			all[i] = line
		case 1:
			all = slices.Insert(all, i, line)
		default:
			if all = slices.Delete(all, i, i+1); len(all) == 0 {
				return "z\n"
			}
		}
	}
	return strings.Join(all, "")
}
