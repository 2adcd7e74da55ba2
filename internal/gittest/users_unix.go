//go:build unix

package gittest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// Users is a folder that several users of this machine share.
type Users struct {
	T testing.TB
	// Dir can be entered by all users. It holds the program and a home folder for each user.
	Dir string
}

// NewUsers makes a folder that several users share. Only root can act as several users, so NewUsers skips the test for anybody
// else.
func NewUsers(t testing.TB) *Users {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be several users")
	}
	u := &Users{T: t, Dir: t.TempDir()}
	for dir := u.Dir; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		u.must(os.Chmod(dir, 0o755))
	}
	text, err := os.ReadFile(filepath.Join(Binary(t), "git-resume"))
	u.must(err)
	u.must(os.Mkdir(filepath.Join(u.Dir, "bin"), 0o755))
	u.must(WriteProgram(filepath.Join(u.Dir, "bin", "git-resume"), text))
	return u
}

func (u *Users) must(err error) {
	u.T.Helper()
	if err != nil {
		u.T.Fatal(err)
	}
}

// Be returns a Repo whose commands run with the number "id" as user id and as group id, and with the given additional groups. The PATH of
// these commands has our program.
func (u *Users) Be(id int, dir string, groups ...int) *Repo {
	u.T.Helper()
	home := filepath.Join(u.Dir, "home", strconv.Itoa(id))
	temp := filepath.Join(home, "tmp")
	u.must(os.MkdirAll(temp, 0o755))
	u.must(os.Chown(home, id, id))
	u.must(os.Chown(temp, id, id))
	credential := &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}
	for _, g := range groups {
		credential.Groups = append(credential.Groups, uint32(g))
	}
	r := &Repo{T: u.T, Dir: dir, Env: Git{Bin: filepath.Join(u.Dir, "bin")}.Env(home, "TMPDIR="+temp)}
	r.prepare = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	}
	return r
}

// Folder makes a folder that belongs to a user and a group.
func (u *Users) Folder(name string, owner, group int, mode os.FileMode) string {
	u.T.Helper()
	dir := filepath.Join(u.Dir, name)
	u.must(os.MkdirAll(dir, 0o755))
	u.must(os.Chown(dir, owner, group))
	u.must(os.Chmod(dir, mode))
	return dir
}
