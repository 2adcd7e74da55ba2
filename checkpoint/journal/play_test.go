package journal

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

// play is the code of the second process in a test. Its only command, "begin DIR RUN NONCE", starts a run and prints "held" or the
// error.
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

func (j *journal) play(name, nonce string) *gittest.Part { return j.Play(name, string(j.id), nonce) }
