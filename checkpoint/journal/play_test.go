package journal

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
)

// play is the part of a second process in a test: "begin DIR RUN NONCE" begins a run. It says "held" or why not.
func play(part string, args []string) int {
	p, err := locate.Find(args[0], os.Environ())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	repo := gitstate.Open(p, os.Environ())
	defer repo.Close()
	s := &Store{Repo: repo, Now: time.Now, Nonce: args[2]}
	id := checkpoint.RunID(args[1])
	if part == "begin" {
		at, err := repo.Refs.Ref(context.Background(), "HEAD")
		if err == nil {
			_, err = s.Create(context.Background(), id, []checkpoint.Event{{Event: checkpoint.RunStarted, Name: "work", Base: &checkpoint.Base{Name: "main", Commit: at}, Head: at}}, nil)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("held")
		return 0
	}
	fmt.Println("no such part")
	return 1
}

// part is another process that plays one.
type part struct {
	*exec.Cmd
	out *bufio.Scanner
}

func (j *journal) play(name, nonce string) *part {
	j.t.Helper()
	self, err := os.Executable()
	if err != nil {
		j.t.Fatal(err)
	}
	cmd := exec.Command(self, j.Dir, string(j.id), nonce)
	cmd.Env = append(append([]string{}, j.Env...), "CHECKPOINT_TEST_PART="+name)
	if _, err := cmd.StdinPipe(); err != nil {
		j.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		j.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		j.t.Fatal(err)
	}
	p := &part{cmd, bufio.NewScanner(out)}
	j.t.Cleanup(p.kill)
	return p
}

// says is the next line that the other process prints.
func (p *part) says() string {
	p.out.Scan()
	return strings.TrimSpace(p.out.Text())
}

func (p *part) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}
