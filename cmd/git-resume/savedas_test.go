package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-resume/git-resume/internal/gittest"
)

// savedName matches the name of a snapshot in "saved as NAME" or in "resume restore NAME". It also matches an object id or a ref after
// "saved as". Such a text is not the name of a snapshot, so the test then fails.
var savedName = regexp.MustCompile(`\bsaved(?:[: ][^\n]*?)? as[\s|]+([^\s(),:'"]+@\d+|[0-9a-f]{7,}\b|refs/[^\s(),:'"]+)|\bresume restore '?([^\s'"<>()]+@\d+)`)

// scriptLine matches a command of the script, such as "> stdout 'saved as'", in the log of the script. Commands are not searched for names
// of snapshots: a command may contain a pattern for such a name, or name a snapshot that does not exist.
var scriptLine = regexp.MustCompile(`(?m)^> .*$`)

// The variable "savedNames" counts the snapshots that were restored, and "scripts" counts the scripts that have ended.
var savedNames, scripts atomic.Int64

// The variable "expired" lists scripts whose messages name snapshots that no longer exist when the script ends, each with the reason. At
// the end of any other script, the test restores every snapshot that was named.
var expired = map[string]string{
	"doctor_purge": "every trace is removed",
	"demo":         "the demo removes its folder; TestDemo_savedAs runs it in a folder that stays",
}

// namesIn returns the names of snapshots in a text, each once. It leaves out names with "xxxx" or RUN, which the script command "tidy" put
// there instead of ids.
func namesIn(text string) (out []string) {
	for _, m := range savedName.FindAllStringSubmatch(text, -1) {
		name := strings.TrimRight(m[1]+m[2], ".;")
		if !slices.Contains(out, name) && !strings.Contains(name, "-xxxx@") && !strings.HasPrefix(name, "RUN@") {
			out = append(out, name)
		}
	}
	return out
}

// wereRestored checks that snapshots were restored, unless only some of the scripts were run.
func wereRestored(t *testing.T, all int) {
	t.Helper()
	if int(scripts.Load()) == all && savedNames.Load() == 0 {
		t.Error("no messages named a snapshot")
	}
}

// logKey is the key of the scriptLog among the values of a script.
type logKey struct{}

// scriptLog is passed to testscript as the test of one script. So it gets the output of all commands of the script.
type scriptLog struct {
	*testing.T
	work, path string
	failed     bool
	// The field "restored" lists the snapshots that restoreSaved restored right after their names were printed.
	restored []string
	looked   bool
	// names lists the variables of the script, and hints the forms of suggestions that tryHints has executed.
	names, hints []string
}

func (s *scriptLog) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(&scriptLog{T: t}) })
}

// Verbose returns true, because testscript then passes the whole output to Log.
func (s *scriptLog) Verbose() bool { return true }

func (s *scriptLog) FailNow() {
	s.failed = true
	s.T.FailNow()
}

func (s *scriptLog) Fatal(args ...any) {
	s.failed = true
	s.T.Fatal(args...)
}

// testscript calls Log with the whole log of a script when the script ends. Log restores every snapshot that the log, or a file in the
// script's work folder, names; if that is impossible, the test fails. It prints the log only with -v or if the script failed.
func (s *scriptLog) Log(args ...any) {
	s.Helper()
	text := fmt.Sprint(args...)
	switch {
	case testing.Verbose() || s.failed && strings.LastIndex(text, "\n# ") < 0:
		s.T.Log(text)
	case s.failed:
		s.T.Log(text[strings.LastIndex(text, "\n# "):])
	}
	scripts.Add(1)
	if !s.failed && !s.Skipped() && s.work != "" {
		s.paint(text)
	}
	text, _, _ = strings.Cut(text, lookLine)
	if s.work == "" || s.failed || s.Skipped() || expired[filepath.Base(s.Name())] != "" {
		return
	}
	files, _ := filepath.Glob(filepath.Join(s.work, "*"))
	for _, f := range files {
		if info, err := os.Lstat(f); err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 {
			data, _ := os.ReadFile(f)
			text += "\n" + string(data)
		}
	}
	for _, name := range namesIn(scriptLine.ReplaceAllString(text, "")) {
		if !slices.Contains(s.restored, name) {
			s.restoreSomewhere(name)
		}
	}
}

// restoreSomewhere looks for a snapshot in all repositories of the script, and restores it.
func (s *scriptLog) restoreSomewhere(name string) {
	s.Helper()
	said := "no repository is left"
	for _, dir := range repositories(s.work) {
		out, err := restoreTo(s.work, dir, s.path, name)
		if err == nil {
			return
		}
		said = out
	}
	s.Errorf("a message says that work is saved as %s: %s", name, said)
}

// repositories lists the repositories below a folder.
func repositories(root string) (out []string) {
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil
		}
		if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
			out = append(out, path)
			return nil
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		if _, err := os.Lstat(filepath.Join(path, "packed-refs")); err == nil || strings.HasSuffix(path, ".git") {
			out = append(out, path)
			return fs.SkipDir
		}
		return nil
	})
	return out
}

// restoreTo restores a snapshot into a new folder, and then removes the folder. It runs the command with which a user restores a snapshot
// whose name was in a message.
func restoreTo(work, dir, path, name string, env ...string) (string, error) {
	to := filepath.Join(work, fmt.Sprintf("saved-as-%d", savedNames.Add(1)))
	cmd := exec.Command("git-resume", "restore", name, "--to", to)
	for bin := range strings.SplitSeq(path, string(os.PathListSeparator)) {
		if _, err := os.Stat(filepath.Join(bin, "git-resume")); err == nil {
			cmd.Path, cmd.Err = filepath.Join(bin, "git-resume"), nil
			break
		}
	}
	cmd.Dir = dir
	cmd.Env = append(append(gittest.Env(filepath.Join(work, "home")), "PATH="+path), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		savedNames.Add(-1)
	}
	return string(out), errors.Join(err, os.RemoveAll(to))
}

// restoreSaved looks for names of snapshots in the last output, and restores each snapshot into a new folder. It fails the test if that is
// not possible.
func restoreSaved(ts *testscript.TestScript, text string) {
	log := ts.Value(logKey{}).(*scriptLog)
	for _, name := range namesIn(text) {
		if !strings.Contains(name, "@") {
			ts.Fatalf("work is saved as %q, which is not the name of a snapshot", name)
		}
		out, err := restoreTo(ts.Getenv("WORK"), ts.MkAbs("."), ts.Getenv("PATH"), name, gittest.ClockEnv+"="+ts.Getenv(gittest.ClockEnv))
		if err != nil {
			ts.Fatalf("a message says that work is saved as %s: %v\n%s", name, err, out)
		}
		log.restored = append(log.restored, name)
	}
}

func TestDemo_savedAs(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"run": demoScript, "rebase": demoRebaseScript} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scriptLog{T: t, work: t.TempDir(), path: gittest.Binary(t) + string(os.PathListSeparator) + os.Getenv("PATH")}
			cmd := exec.Command("sh", "-s")
			cmd.Dir, cmd.Stdin, cmd.Env = s.work, strings.NewReader(script), append(gittest.Env(s.work), "PATH="+s.path)
			out, err := cmd.CombinedOutput()
			names := namesIn(string(out))
			if err != nil || len(names) == 0 {
				t.Fatalf("the demo names %d snapshots: %v\n%s", len(names), err, out)
			}
			for _, name := range names {
				s.restoreSomewhere(name)
			}
		})
	}
}
