package anywhere

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// quiet makes a server and clones for which connections do not fail.
func quiet(t *testing.T, seed uint64) *shop {
	t.Helper()
	return open(t, rand.New(rand.NewPCG(seed, 0)))
}

// work runs "git resume work" in a clone and returns its output. The exit code must be the one in the argument "want".
func (s *shop) work(in *gittest.Repo, want int, args ...string) string {
	s.Helper()
	out, code := in.Resume(append([]string{"work", s.run, "--remote", "origin", "--plan", "plan.yaml"}, args...)...)
	if code != want {
		s.Errorf("work %v in %s: exit code %d, want %d\n%s", args, in.Dir, code, want, out)
	}
	return out
}

func (s *shop) hook(name, script string) {
	s.Helper()
	if err := gittest.WriteProgram(filepath.Join(s.server, "hooks", name), []byte("#!/bin/sh\n"+script+"\n")); err != nil {
		s.Fatal(err)
	}
}

// TestServer_killedAtSixPoints kills the server at one of six points during the first, second or third push.
func TestServer_killedAtSixPoints(t *testing.T) {
	t.Parallel()
	points := []struct{ hook, when string }{
		{"pre-receive", ""}, {"update", ""}, {"reference-transaction", "prepared"}, {"reference-transaction", "committed"}, {"post-receive", ""}, {"post-update", ""},
	}
	for i, at := range points {
		for push := 1; push <= 3; push++ {
			// After a kill at "prepared", the server's lock files stay, and each worker tries for a long time before it gives up. So
			// everyday tests try this only once.
			if at.when == "prepared" && push < 3 && !gittest.Proving() {
				continue
			}
			t.Run(strings.TrimSpace(fmt.Sprintf("%s %s %d", at.hook, at.when, push)), func(t *testing.T) {
				t.Parallel()
				s := quiet(t, uint64(10*i+push))
				count := filepath.Join(s.root, "pushes")
				// The hook kills its parent process in the push with the chosen number. It counts pushes by the ids of their processes,
				// because a hook may run several times in one push.
				s.hook(at.hook, fmt.Sprintf(`test -z '%[2]s' || test "$1" = '%[2]s' || exit 0
grep -qx $PPID '%[1]s' 2>/dev/null || echo $PPID >>'%[1]s'
test $(wc -l <'%[1]s') -ne %[3]d || { echo killed >>'%[1]s'; kill -9 $PPID; }`, count, at.when, push))
				locked := at.when == "prepared"
				want := 0
				if locked {
					want = 16
				}
				out := s.work(s.clones[1], want)
				if text, _ := os.ReadFile(count); !strings.Contains(string(text), "killed") {
					t.Fatalf("the server was not killed: %s\n%s", text, out)
				}
				if locked {
					if !strings.Contains(out, ".lock") {
						t.Errorf("the lock file is not named:\n%s", out)
					}
					locks, _ := filepath.Glob(filepath.Join(s.server, "refs", "resume", "*", "*.lock"))
					for _, path := range locks {
						if err := os.Remove(path); err != nil {
							t.Error(err)
						}
					}
					if len(locks) == 0 {
						t.Error("git left no lock file")
					}
					s.work(s.clones[1], 0)
				}
				s.finish()
				check(s)
			})
		}
	}
}
