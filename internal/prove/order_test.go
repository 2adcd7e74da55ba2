package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestOrder_aRefIsOnDiskBeforeItIsTold checks the order of system calls.
// Git writes a ref into a lock file, and renames the lock file. The lock file must be synced before the rename.
// After the rename, the folder must be synced before the command reports success.
func TestOrder_aRefIsOnDiskBeforeItIsTold(t *testing.T) {
	needTracer(t)
	for _, name := range []string{"start with a worktree", "task done in its worktree", "checkpoint of files", "discard", "finish"} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := scenarioNamed(t, name)
			r := s.ground(t, gittest.New).reset(t)
			j := resumeJob(r, s.args...)
			j.Record = true
			out := trace(t, j)
			if out.Exit != 0 {
				t.Fatalf("exit code %d\n%s", out.Exit, out.Output)
			}
			refs := 0
			for i, c := range out.Trace {
				if opensForWriting(c) {
					t.Errorf("%s is written in place: whoever reads it meanwhile, or after a kill, finds a part", c.Path)
				}
				if isOurs(c) {
					refs++
					if err := durable(out.Trace, i); err != nil {
						t.Error(err)
					}
				}
			}
			if refs == 0 {
				t.Error("no ref moved")
			}
		})
	}
}

func scenarioNamed(t *testing.T, name string) scenario {
	t.Helper()
	all := slices.Concat(scenarios(), stories())
	i := slices.IndexFunc(all, func(s scenario) bool { return s.name == name })
	if i < 0 {
		t.Fatalf("there is no scenario %q", name)
	}
	return all[i]
}

// isOurs reports whether a call renames a lock file to a ref in refs/resume or refs/heads.
// It ignores refs/notes, because the program can restore them from the journal.
func isOurs(c call) bool {
	return strings.HasPrefix(c.Name, "rename") && (strings.Contains(c.Path, "/refs/resume/") || strings.Contains(c.Path, "/refs/heads/")) &&
		!strings.Contains(c.Path, "/logs/")
}

// opensForWriting reports whether a call opens the file of a ref for writing. Git does not do that: it writes a lock file and renames it
// to the ref. Files below .git/resume are not refs, although some are named after one.
func opensForWriting(c call) bool {
	return !strings.Contains(c.Path, "/.git/resume/") && strings.HasPrefix(c.Name, "open") && strings.Contains(c.Path, "/refs/") && !strings.HasSuffix(c.Path, ".lock") && !strings.Contains(c.Path, "/logs/")
}

// durable checks that the content was synced before the rename. After the rename, the folder must be synced before the program prints
// anything.
func durable(calls []call, at int) error {
	ref := filepath.Clean(calls[at].Path)
	synced := func(part []call, path string) bool {
		return slices.ContainsFunc(part, func(c call) bool { return strings.HasPrefix(c.Name, "fsync") && filepath.Clean(c.Path) == path })
	}
	told := len(calls)
	for i := at; i < len(calls); i++ {
		if strings.HasPrefix(calls[i].Process, "git-resume") && calls[i].Name == "write" && filepath.Base(calls[i].Path) == "output" {
			told = i
			break
		}
	}
	if !synced(calls[:at], ref+".lock") {
		return fmt.Errorf("%s got its name before its content was on disk", ref)
	}
	if !synced(calls[at:told], filepath.Dir(ref)) {
		return fmt.Errorf("%s was told of before its name was on disk", ref)
	}
	return nil
}

// TestSnapshot_editInTheSameSecond edits a file right after git has looked at it. The new text has the same length. Git still notices the
// edit, because the index is not newer than the file. With a copy of the index, which would be newer, git would miss it.
func TestSnapshot_editInTheSameSecond(t *testing.T) {
	t.Parallel()
	r := started(gittest.New(t))
	for try := 1; ; try++ {
		// Start early in a second, but not at its very beginning, because file times lag some milliseconds behind.
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + 20*time.Millisecond)))
		// Each try uses another length. Within one try, the new text is as long as the old one.
		r.Write("README", strings.Repeat("a", 10+try))
		seen := modSecond(t, filepath.Join(r.Dir, "README"))
		r.Git("-c", "gc.auto=0", "commit", "-q", "-a", "-m", "as git sees it")
		r.Write("README", strings.Repeat("b", 10+try))
		// The edit must be in the same second as the commit. Otherwise git would notice the edit by the file's modification time.
		if seen == modSecond(t, filepath.Join(r.Dir, "README")) && seen == modSecond(t, filepath.Join(r.Dir, ".git", "index")) {
			break
		}
		if try == 60 {
			t.Skip("this machine is too slow for two edits in a second")
		}
	}
	// Wait, so that a copy of the index would get a later time than the edited file. If the snapshot were made with such a copy, git would
	// overlook the edit.
	time.Sleep(1100 * time.Millisecond)
	r.MustResume("checkpoint")
	if err := anySnapshot(r, files(r)); err != nil {
		t.Error(err)
	}
}

// modSecond returns the time of a file's last write, in whole seconds.
func modSecond(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().Unix()
}
