//go:build unix

package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestHold_isCalledBeforeTheProgramStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mark := filepath.Join(dir, "mark")
	lock, err := os.Create(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	var out bytes.Buffer
	held := 0
	c := shell("touch '" + mark + "'; echo locked >&3; echo $$; { : >&4; } 2>/dev/null && echo leaked")
	c.Stdout, c.Files = &out, []*os.File{lock}
	c.Hold = func(pid int) {
		held = pid
		time.Sleep(100 * time.Millisecond)
		if _, err := os.Stat(mark); err == nil {
			t.Error("the program ran before Hold returned")
		}
	}
	g, err := c.StartGroup()
	if err != nil {
		t.Fatal(err)
	}
	if end, err := g.Wait(); err != nil || end.Code == 0 || end.Signal != "" { // the last command fails because descriptor 4 is closed
		t.Errorf("got %+v, %v", end, err)
	}
	if held != g.ID() || strings.TrimSpace(out.String()) != strconv.Itoa(held) {
		t.Errorf("Hold got process %d, the program was %q", held, out.String())
	}
	if got, _ := os.ReadFile(lock.Name()); string(got) != "locked\n" {
		t.Errorf("the program wrote %q to its file", got)
	}
}

func TestHold_withoutUsNothingStarts(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	c := shell("touch '" + mark + "'")
	cmd := c.build(t.Context())
	setGroup(cmd, nil)
	var hold gate
	if err := hold.close(cmd); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hold.abandon()
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended as if it had run")
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the program ran")
	}
}

func TestHold_missingProgram(t *testing.T) {
	t.Parallel()
	c := Command{Name: "no-such-program", Env: os.Environ(), Hold: func(int) { t.Error("Hold was called") }}
	if _, err := c.StartGroup(); !IsMissing(err) {
		t.Errorf("got %v", err)
	}
}
