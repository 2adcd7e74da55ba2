//go:build linux

package execution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// line is one line of a release script. The field "check" is a command that shows whether the line had its effect.
type line struct{ id, command, check string }

var release = []line{
	{"bump", "echo 2 > VERSION", ""},
	{"notes", "echo notes > NOTES", ""},
	{"build", "mkdir -p out; cp VERSION out/app", ""},
	{"test", `test "$(cat out/app)" = 2`, ""},
	{"doc", "echo doc > DOC", ""},
	{"tag", "git tag v2", "git rev-parse -q --verify refs/tags/v2"},
	{"push", "git push -q origin HEAD:refs/heads/release", `test "$(git ls-remote origin refs/heads/release | cut -f1)" = "$(git rev-parse HEAD)"`},
	{"pushtag", "git push -q origin v2", "git ls-remote -q --exit-code origin refs/tags/v2"},
	{"announce", `echo v2 >> "$SIDE/announced"`, `test -s "$SIDE/announced"`},
	{"clean", "rm -r out; echo done > DONE", ""},
}

// releaseScript writes a script that pauses at the point named in the file "stop": before or after the effect of a line, or between lines.
func releaseScript(w *world) string {
	w.file("pause.sh", `pause() { if test "$(cat "$SIDE/stop" 2>/dev/null)" = "$1"; then echo $$ > "$SIDE/mark.tmp"; mv "$SIDE/mark.tmp" "$SIDE/mark"; sleep 60; fi; }`)
	var b strings.Builder
	b.WriteString("set -e\n. \"$SIDE/pause.sh\"\ntop=$(git resume start --auto --name job")
	for _, l := range release {
		b.WriteString(" --task " + l.id)
	}
	b.WriteString(" 2>/dev/null)\ncd \"$top\"\n")
	for _, l := range release {
		file := w.file(l.id+".sh", fmt.Sprintf(". \"$SIDE/tell.sh\"\n. \"$SIDE/pause.sh\"\nset -e\npause before-%s\n%s\npause after-%s\n", l.id, l.command, l.id))
		check := ""
		if l.check != "" {
			check = "--verify '" + l.check + "' "
		}
		fmt.Fprintf(&b, "git resume task run %s --retry %s-- sh %s\npause behind-%s\n", l.id, check, file, l.id)
	}
	return w.file("release.sh", b.String())
}

func TestScript_killedAtEachLineEndsRight(t *testing.T) {
	var points []string
	for _, l := range release {
		points = append(points, "before-"+l.id, "after-"+l.id, "behind-"+l.id)
	}
	for _, p := range points {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			killScriptAt(t, p)
		})
	}
}

func killScriptAt(t *testing.T, point string) {
	w := newWorld(t)
	bare := filepath.Join(filepath.Dir(w.Dir), "remote.git")
	w.Git("init", "-q", "--bare", bare)
	w.Git("remote", "add", "origin", bare)
	file := releaseScript(w)
	w.file("stop", point)
	r := w.start("/bin/sh", file)
	until(t, point, func() bool { return w.has("mark") })
	executors := w.executors(r.cmd.Process.Pid)
	groups := w.groups()
	for _, pid := range executors {
		kill(pid, syscall.SIGKILL)
	}
	for _, g := range groups {
		kill(-g, syscall.SIGKILL)
		w.waitForGroup(g)
	}
	r.wait()
	w.file("stop", "")
	if last := "behind-" + release[len(release)-1].id; point == last {
		w.checkRelease(bare) // the script stopped after its last line, so everything must be done
		return
	}
	if s := w.only(); s.State != "interrupted" {
		t.Errorf("state %s", s.State)
	}
	out, code := w.start("/bin/sh", file).wait()
	if code != 0 {
		t.Fatalf("started again: exit code %d\n%s", code, out)
	}
	w.checkRelease(bare)
}

// checkRelease checks the results of the script, here and at the remote.
func (w *world) checkRelease(bare string) {
	w.T.Helper()
	s := w.only()
	if s.State != "finished" {
		w.T.Errorf("state %s", s.State)
	}
	if got := w.Git("ls-tree", "-r", "--name-only", "resume/"+s.Run); got != "DOC\nDONE\nNOTES\nREADME\nVERSION" {
		w.T.Errorf("the branch has %q", got)
	}
	remote := w.In(bare)
	if got := remote.Git("show", "release:VERSION") + remote.Git("show", "v2:out/app"); got != "22" {
		w.T.Errorf("the remote has %q", got)
	}
	if text, _ := os.ReadFile(filepath.Join(w.side, "announced")); string(text) != "v2\n" {
		w.T.Errorf("announced %q", text)
	}
	w.checkRecord()
	w.Fsck()
}
