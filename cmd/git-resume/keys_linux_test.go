package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

const elsewhereText = "was started in this clone by this user"

// asUser runs the git-resume that is on the user's PATH.
func asUser(r *gittest.Repo, args ...string) (string, int) {
	r.T.Helper()
	return r.Try("sh", append([]string{"-c", `exec git-resume "$@"`, "sh"}, args...)...)
}

// isOurs fails the test if the user cannot pause the only run, or if status shows it as a run from elsewhere.
func isOurs(r *gittest.Repo, who string) {
	r.T.Helper()
	if out, code := asUser(r, "status", "--all"); code != 0 || strings.Contains(out, "elsewhere") || !strings.Contains(out, "job-") {
		r.T.Errorf("%s: status: exit code %d\n%s", who, code, out)
	}
	if out, code := asUser(r, "pause", "-m", "for now"); code != 0 {
		r.T.Errorf("%s: pause: exit code %d\n%s", who, code, out)
	}
}

// isElsewhere fails the test if status does not show the only run as a run from elsewhere. It also fails the test if a command changes
// the run without asking.
func isElsewhere(r *gittest.Repo, who string) {
	r.T.Helper()
	run := strings.TrimPrefix(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal/"), "refs/resume/journal/")
	before := r.Git("rev-parse", "refs/resume/journal/"+run)
	if out, code := asUser(r, "status"); code != 0 || !strings.Contains(out, "elsewhere  "+run) || !strings.Contains(out, "started elsewhere") {
		r.T.Errorf("%s: status: exit code %d\n%s", who, code, out)
	}
	if out, code := asUser(r, "--auto"); code != 11 || !strings.Contains(out, elsewhereText) || !strings.Contains(out, "git resume "+run+" --takeover") {
		r.T.Errorf("%s: --auto: exit code %d\n%s", who, code, out)
	}
	if out, code := asUser(r, run, "--auto", "--takeover"); code != 129 {
		r.T.Errorf("%s: --auto --takeover: exit code %d\n%s", who, code, out)
	}
	if out, code := asUser(r, "task", "done", "one", "--run", run); code != 11 {
		r.T.Errorf("%s: a report: exit code %d\n%s", who, code, out)
	}
	if after := r.Git("rev-parse", "refs/resume/journal/"+run); after != before {
		r.T.Errorf("%s: the journal was moved", who)
	}
}

// begun makes a user's repository and starts a run in it.
func begun(u *gittest.Users, how string) *gittest.Repo {
	u.T.Helper()
	r := shared(u, "022", how)
	must(r, "022", "git config --global safe.directory '*' && git-resume start --here --name job --task one --task two && git-resume task start one")
	return r
}

// The function "allowed" gives a user the settings with which git works in another user's repository.
func allowed(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	must(r, "022", "git config --global safe.directory '*' && git config --global user.name B && git config --global user.email b@example.com")
	return r
}

func TestKey_ofARepositoryGivenAway(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	a := begun(u, "")
	chown := func(id int) {
		if out, err := exec.Command("chown", "-R", strconv.Itoa(id), filepath.Dir(a.Dir)).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	isOurs(a, "before")
	chown(second)
	b := allowed(u.Be(second, a.Dir))
	isElsewhere(b, "the new owner")
	chown(first)
	isOurs(a, "the old owner, when he has it back")
	chown(second)
	must(b, "022", "git-resume job --takeover --yes")
	isOurs(b, "the new owner, after a takeover")
	b.Fsck()
}

func TestKey_ofRootIsNotTheUsers(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	a := begun(u, "")
	root := allowed(u.Be(0, a.Dir))
	isElsewhere(root, "root")
	isOurs(a, "the user, after root has looked")
}

func TestKey_ofAGroupMemberIsHisOwn(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	a := begun(u, "--shared=group")
	b := allowed(u.Be(second, a.Dir, team))
	isElsewhere(b, "the second member")
	isOurs(a, "the first member")
	must(b, "022", "git-resume start --name more --task x")
	if out := must(b, "022", "git-resume status"); strings.Count(out, "elsewhere  ") != 1 || !strings.Contains(out, "more-") {
		t.Errorf("the second member has a run of his own, and sees\n%s", out)
	}
	if out := must(a, "022", "git-resume status"); strings.Count(out, "elsewhere  ") != 1 {
		t.Errorf("the first member sees\n%s", out)
	}
}

func TestKey_locksHoldBetweenUsers(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	a := shared(u, "022", "--shared=group")
	b, root := allowed(u.Be(second, a.Dir, team)), allowed(u.Be(0, a.Dir))
	must(a, "022", "git config --global safe.directory '*'")
	stop := filepath.Join(u.Folder("flag", first, first, 0o755), "stop")
	ended := make(chan string, 1)
	go func() {
		out, code := asUser(a, "run", "--name", "job", "--", "sh", "-c", "while ! test -e "+stop+"; do sleep 0.1; done")
		ended <- fmt.Sprintf("exit code %d\n%s", code, out)
	}()
	defer func() {
		_ = os.WriteFile(stop, nil, 0o644)
		if said := <-ended; !strings.HasPrefix(said, "exit code 0") {
			t.Errorf("the run of the first: %s", said)
		}
		a.Fsck()
	}()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if out, _ := asUser(a, "status"); strings.Contains(out, "running") {
			break
		} else if time.Now().After(end) {
			t.Fatalf("it does not run\n%s", out)
		}
	}
	for who, r := range map[string]*gittest.Repo{"the second member": b, "root": root} {
		if out, code := asUser(r, "job", "--takeover", "--yes"); code != 13 || !strings.Contains(out, "in use by process") {
			t.Errorf("%s took it over: exit code %d\n%s", who, code, out)
		}
		if out, code := asUser(r, "--auto"); code != 11 && code != 13 {
			t.Errorf("%s continues it: exit code %d\n%s", who, code, out)
		}
	}
}

// Other members of the group can compute the hash that binds a key to this machine, user and repository. So a key file that belongs to
// somebody else must not be used.
func TestKey_madeBySomebodyElseIsNotUsed(t *testing.T) {
	t.Parallel()
	u := gittest.NewUsers(t)
	a := shared(u, "022", "--shared=group")
	must(a, "022", "git config --global safe.directory '*'")
	info, err := os.Stat(filepath.Join(a.Dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	inode := fmt.Sprint(info.Sys().(*syscall.Stat_t).Ino)
	sum := sha256.Sum256([]byte(strings.Join([]string{"git-resume key 1", proc.MachineID(), strconv.Itoa(first), inode, ""}, "\x00")))
	forged := fmt.Sprintf(`{"v":1,"key":"%064d","clone":"abcd","binding":"%s"}`, 7, hex.EncodeToString(sum[:]))
	b := allowed(u.Be(second, a.Dir, team))
	key := filepath.Join(a.Dir, ".git", "resume", "keys", strconv.Itoa(first))
	must(b, "007", fmt.Sprintf("mkdir -p '%s' && echo '%s' >'%s' && chmod 600 '%s'", filepath.Dir(key), forged, key, key))
	for _, mode := range []os.FileMode{0o600, 0o644} {
		if err := os.Chmod(key, mode); err != nil {
			t.Fatal(err)
		}
		out, code := asUser(a, "start", "--here", "--name", "job", "--task", "one")
		if code != 128 || !strings.Contains(out, "cannot use the key with which it signs your records") || !strings.Contains(out, "delete the key") {
			t.Errorf("mode %o: exit code %d\n%s", mode, code, out)
		}
		if refs := a.Git("for-each-ref", "refs/resume", "refs/notes"); refs != "" {
			t.Errorf("mode %o: it left\n%s", mode, refs)
		}
		if text, err := os.ReadFile(key); err != nil || strings.TrimSpace(string(text)) != forged {
			t.Errorf("mode %o: the file was replaced: %s, %v", mode, text, err)
		}
		if out, code := asUser(a, "doctor"); code != 1 || !strings.Contains(out, "cannot use the key with which it signs your records") {
			t.Errorf("mode %o: doctor: exit code %d\n%s", mode, code, out)
		}
	}
	// The same file is accepted after the user becomes its owner. So only the owner was wrong, not the content.
	if err := os.Chown(key, first, first); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	must(a, "022", "git-resume start --here --name job --task one --task two")
	isOurs(a, "with the key of his own")
	if text, err := os.ReadFile(key); err != nil || strings.TrimSpace(string(text)) != forged {
		t.Errorf("a key that fits was replaced: %s, %v", text, err)
	}
}

// A remount usually gives a file system another device number. The run must still count as ours, and no second key is made.
func TestKey_isKeptByARemount(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a file system")
	}
	r := gittest.New(t).WithBinary()
	root := filepath.Dir(r.Dir)
	image, spare, at, other := filepath.Join(root, "image"), filepath.Join(root, "spare"), filepath.Join(root, "mounted"), filepath.Join(root, "other")
	sh := func(script string) (string, error) {
		out, err := exec.Command("sh", "-ec", script).CombinedOutput()
		return string(out), err
	}
	script := fmt.Sprintf("truncate -s 32M '%s' '%s'; mke2fs -q -F '%s'; mke2fs -q -F '%s'; mkdir '%s' '%s'; mount -o loop '%s' '%s'", image, spare, image, spare, at, other, image, at)
	if out, err := sh(script); err != nil {
		t.Skipf("no file system can be mounted here: %v\n%s", err, out)
	}
	t.Cleanup(func() { _, _ = sh(fmt.Sprintf("umount '%s'; umount '%s'", at, other)) })
	device := func() uint64 {
		info, err := os.Stat(at)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Dev
	}
	m := r.In(filepath.Join(at, "repo"))
	r.Git("clone", "-q", r.Dir, m.Dir)
	m.MustResume("start", "--here", "--name", "job", "--task", "one")
	before := device()
	// Mount another file system first. It gets the device number that is now free, so that ours gets a new one.
	if out, err := sh(fmt.Sprintf("umount '%s'; mount -o loop '%s' '%s'; mount -o loop '%s' '%s'", at, spare, other, image, at)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if device() == before {
		t.Log("the device number is the same as before")
	}
	isOurs(m, "after a remount")
	if files, err := os.ReadDir(filepath.Join(m.Dir, ".git/resume/keys")); err != nil || len(files) != 1 {
		t.Errorf("there are keys %v, %v", files, err)
	}
}

func TestKey_afterACopyIsToldAndTakenOver(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.MustResume("start", "--here", "--name", "job", "--task", "one", "--task", "two")
	r.MustResume("task", "start", "one")
	copied := r.In(filepath.Join(filepath.Dir(r.Dir), "copied"))
	if out, code := r.Try("cp", "-a", r.Dir, copied.Dir); code != 0 {
		t.Fatal(out)
	}
	isElsewhere(copied, "the copy")
	copied.MustResume("job", "--takeover", "--yes")
	isOurs(copied, "the copy after a takeover")
	isOurs(r, "the original")
	copied.Fsck()
}
