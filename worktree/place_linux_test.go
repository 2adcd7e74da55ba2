package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/treetest"
	"golang.org/x/sys/unix"
)

// While Create runs, a folder on the worktree's path is repeatedly replaced by a link. Create may succeed or fail, but
// it must not write into the target of the link.
func TestCreate_whileAFolderIsSwapped(t *testing.T) {
	t.Parallel()
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	for _, swapped := range []string{".worktrees", ".worktrees/deep"} {
		t.Run(filepath.Base(swapped), func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			outside := f.commitLinks(map[string]string{"link": f.Beside("outside")})
			if err := errors.Join(os.MkdirAll(f.Path(".worktrees/deep"), 0o755), os.Mkdir(filepath.Join(outside, "deep"), 0o755)); err != nil {
				t.Fatal(err)
			}
			want := treetest.Dump(t, outside)
			stop := f.swap(swapped, "link")
			made, refused := 0, 0
			for i := range rounds {
				req := f.request()
				req.Run = fmt.Sprintf("%s%d", treetest.Job, i)
				req.Branch, req.Path = "resume/"+req.Run, f.Path(".worktrees/deep/"+req.Run)
				for _, ready := range []bool{false, true} { // the first round makes the worktree, the second rebuilds its deleted files
					c, err := Create(t.Context(), f.Open(), req)
					switch {
					case err == nil && c.Tree.Path == req.Path:
						made++
					case refusedSwap(err):
						refused++
					default:
						t.Errorf("ready %v: %+v %v", ready, c.Tree, err)
					}
					if err != nil {
						break
					}
					_ = os.RemoveAll(req.Path)
					req.At, req.Ready = "", true
				}
			}
			stop()
			t.Logf("%d made, %d refused", made, refused)
			treetest.RequireSame(t, want, treetest.Dump(t, outside))
			if made == 0 || refused == 0 {
				t.Errorf("%d made, %d refused: the folder was not swapped", made, refused)
			}
			f.Fsck()
		})
	}
}

func refusedSwap(err error) bool {
	return errors.As(err, new(*place.LinkError)) || errors.As(err, new(*place.SwappedError)) || errors.As(err, new(*NotRegisteredError)) ||
		errors.As(err, new(*PathTakenError)) || errors.As(err, new(*process.Error)) || errors.Is(err, fs.ErrNotExist)
}

// pauses lists how long swap leaves the folder in its place, and how long it then leaves the link there. Some pauses are longer than a call
// of Create, and some are shorter.
var pauses = [2][]time.Duration{
	{0, 3 * time.Millisecond, 8 * time.Millisecond, 13 * time.Millisecond, 200 * time.Millisecond, 20 * time.Millisecond, time.Millisecond},
	{2 * time.Millisecond, 9 * time.Millisecond, 0, 30 * time.Millisecond, time.Millisecond},
}

// swap exchanges two names in a loop. The returned function ends the loop and restores both names.
func (f *fixture) swap(a, b string) (stop func()) {
	exchange := func() {
		if err := unix.Renameat2(unix.AT_FDCWD, f.Path(a), unix.AT_FDCWD, f.Path(b), unix.RENAME_EXCHANGE); err != nil {
			f.T.Errorf("exchange: %v", err)
		}
	}
	end := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-end:
				if i%2 == 1 {
					exchange()
				}
				return
			case <-time.After(pauses[i%2][i/2%len(pauses[i%2])]):
				exchange()
			}
		}
	})
	return func() { close(end); loop.Wait() }
}
