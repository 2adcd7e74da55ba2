package clone

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// keyFile is the content of a key file. Binding identifies the machine, user and repository that the key was made for; the
// key is not used anywhere else.
type keyFile struct {
	V       int    `json:"v"`
	Secret  string `json:"key"`
	Clone   string `json:"clone"`
	Binding string `json:"binding"`
}

// secretSize is the length of a secret: 256 bits.
const secretSize = 32

// maxKeyFile limits how much of a key file is read. A real key file has about 200 bytes.
const maxKeyFile = 4 << 10

// errNoKey says that this user has no usable key for this machine and repository.
var errNoKey = errors.New("this user has no usable key for signing records")

// KeyError says that the key file exists but cannot be used as this user's key. Such a file is never replaced.
type KeyError struct {
	Path, Why string
	Err       error
}

func (e *KeyError) Error() string {
	text := fmt.Sprintf("git-resume cannot use the key with which it signs your records: '%s': %s", e.Path, e.Why)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *KeyError) Unwrap() error { return e.Err }

func keyPath(r *gitstate.Repo) string {
	return r.CommonPath("resume", "keys", strconv.Itoa(os.Geteuid()))
}

// binding returns a hash of the machine, the user and the repository.
func binding(r *gitstate.Repo) string { return bindingTo(r, proc.MachineID()) }

func bindingTo(r *gitstate.Repo, machine string) string {
	sum := sha256.New()
	for _, part := range []string{"git-resume key 1", machine, strconv.Itoa(os.Geteuid()), inodeOf(r.CommonDir)} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// asidePath returns the path to which setAside moves the key file with this binding. A binding stands for one machine, user and repository.
func asidePath(r *gitstate.Repo, binding string) string {
	const enough = 16
	return keyPath(r) + "." + binding[:min(enough, len(binding))]
}

// loadKey reads this user's key for this machine. It returns errNoKey if there is none.
func loadKey(r *gitstate.Repo) (*checkpoint.Key, error) {
	k, _, err := readKey(r, keyPath(r), binding(r))
	if !errors.Is(err, errNoKey) {
		return k, err
	}
	if former := proc.FormerMachineID(); former != "" {
		if k, err := rebind(r, former); !errors.Is(err, errNoKey) {
			return k, err
		}
	}
	k, _, err = readKey(r, asidePath(r, binding(r)), binding(r))
	return k, err
}

// rebind reads a key that an earlier version bound to a former id of this machine, and binds it to the present id. It returns errNoKey if
// there is no such key. If the file cannot be written, a later command tries again.
func rebind(r *gitstate.Repo, former string) (*checkpoint.Key, error) {
	k, f, err := readKey(r, keyPath(r), bindingTo(r, former))
	if err != nil {
		return nil, err
	}
	f.Binding = binding(r)
	if text, err := json.Marshal(f); err == nil {
		_ = dotgit.WritePrivate(keyPath(r), append(text, '\n'))
	}
	return k, nil
}

// readKey reads one key file. It returns errNoKey if the file is missing or damaged. If the key does not have the given binding, because it
// was made for another machine, user or repository, it returns errNoKey and the content of the file.
func readKey(r *gitstate.Repo, path, binding string) (k *checkpoint.Key, f keyFile, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, f, errNoKey
	}
	if err != nil {
		return nil, f, &KeyError{Path: path, Why: "the file cannot be read", Err: err}
	}
	// In a shared repository, another user could put a key here whose secret they know. So the file must be private to this user.
	if !info.Mode().IsRegular() || !dotgit.IsPrivate(info) {
		return nil, f, &KeyError{Path: path, Why: "the key must be a regular file that only this user can read"}
	}
	text, err := gitstate.ReadUpTo(path, maxKeyFile)
	if err != nil {
		return nil, f, &KeyError{Path: path, Why: "the file cannot be read", Err: err}
	}
	if json.Unmarshal(text, &f) != nil || f.V != 1 || f.Binding != binding {
		return nil, f, errNoKey
	}
	secret, err := hex.DecodeString(f.Secret)
	if err != nil || len(secret) != secretSize || f.Clone == "" {
		return nil, keyFile{}, errNoKey
	}
	return checkpoint.NewKey(secret, f.Clone), f, nil
}

// ensureKey returns this user's key, and makes one if there is none.
func ensureKey(r *gitstate.Repo) (*checkpoint.Key, error) {
	if k, err := loadKey(r); !errors.Is(err, errNoKey) {
		return k, err
	}
	path := keyPath(r)
	if err := dotgit.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, err
	}
	// Two processes must not make a key at the same time. One key would overwrite the other, and the lines signed with the
	// lost key would no longer count as ours.
	lock, err := flock.WaitFor(r.CommonPath("resume", "keys.lock"), time.Minute)
	if err != nil {
		return nil, fmt.Errorf("create the key for signing records: %w", err)
	}
	defer func() { _ = lock.Release() }()
	if k, err := loadKey(r); !errors.Is(err, errNoKey) {
		return k, err
	}
	secret, clone := make([]byte, secretSize), make([]byte, 8)
	_, _ = rand.Read(secret) // rand.Read never fails
	_, _ = rand.Read(clone)
	f := keyFile{V: 1, Secret: hex.EncodeToString(secret), Clone: hex.EncodeToString(clone), Binding: binding(r)}
	if id := ID(r); id != "" {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			f.Clone = id // this clone has an id but no key file, so the new key takes that id
		}
	}
	if err := setAside(r); err != nil {
		return nil, err
	}
	text, err := json.Marshal(f)
	if err != nil {
		return nil, err
	}
	if err := dotgit.WritePrivate(path, append(text, '\n')); err != nil {
		return nil, fmt.Errorf("create the key for signing records: %w", err)
	}
	return checkpoint.NewKey(secret, f.Clone), nil
}

// setAside renames a key file that was made for another machine, user or repository, for example in a container. When the user works in
// that container again, loadKey finds the renamed file.
func setAside(r *gitstate.Repo) error {
	_, f, err := readKey(r, keyPath(r), binding(r))
	bound := f.Binding
	if !errors.Is(err, errNoKey) || len(bound) != hex.EncodedLen(sha256.Size) || strings.Trim(bound, "0123456789abcdef") != "" {
		return nil
	}
	if err := os.Rename(keyPath(r), asidePath(r, bound)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("move the old key for signing records aside: %w", err)
	}
	return nil
}

// Keys provides the keys with which this user signs in one repository.
type Keys struct {
	Repo *gitstate.Repo
	// own is this user's key, or nil. keyed is true after the first attempt to load the key. keyFault is the error of that attempt, or nil
	// if there was simply no key.
	own      *checkpoint.Key
	keyed    bool
	keyFault error
}

// Key returns this user's key, or nil if there is no usable key.
func (s *Keys) Key() *checkpoint.Key {
	if !s.keyed {
		s.keyed = true
		s.own, s.keyFault = loadKey(s.Repo)
		if errors.Is(s.keyFault, errNoKey) {
			s.keyFault = nil
		}
	}
	return s.own
}

// WritingKey returns the key to sign with, and makes one before the first write. It fails if the key file exists but cannot be used,
// because this user's earlier lines may be signed with that key.
func (s *Keys) WritingKey() (*checkpoint.Key, error) {
	if k := s.Key(); k != nil || s.keyFault != nil {
		return k, s.keyFault
	}
	k, err := ensureKey(s.Repo)
	if err != nil {
		return nil, err
	}
	s.own = k
	return k, nil
}

// HasKey reports whether this user has a usable key here.
func (s *Keys) HasKey() bool { return s.Key() != nil }

// KeyFault returns the reason why this user's existing key cannot be used, or nil.
func (s *Keys) KeyFault() error { s.Key(); return s.keyFault }

// Alone returns a function for proc.Table.Alone. Another machine can have recorded processes here only if it shares the file system of the
// repository, or if this is a copy of its repository. A copy on another machine, for another user or in another place has no key that fits.
func Alone(r *gitstate.Repo) func() bool {
	return sync.OnceValue(func() bool { return proc.IsLocal(r.CommonDir) && (&Keys{Repo: r}).HasKey() })
}

// Seal signs data that is stored in a file, not in a ref. The first argument says what kind of data it is, so that a signature for one
// kind is not valid for another kind.
func (s *Keys) Seal(domain string, parts ...string) (string, error) {
	k, err := s.WritingKey()
	if err != nil {
		return "", err
	}
	return k.Seal(domain, parts...), nil
}

// Sealed reports whether mac is the signature that Seal makes with this user's key for the same domain and parts.
func (s *Keys) Sealed(mac, domain string, parts ...string) bool {
	return s.Key().Sealed(mac, domain, parts...)
}

// Line parses one stored line of a run. It sets the field Ours to true if this user signed the line in this clone.
func (s *Keys) Line(id checkpoint.RunID, text string) checkpoint.Line {
	l := checkpoint.ParseLine(text)
	l.Ours = !l.Bad && s.Key().Wrote(id, text)
	return l
}

// Reader returns a function that calls Line for the given run.
func (s *Keys) Reader(id checkpoint.RunID) func(text string) checkpoint.Line {
	return func(text string) checkpoint.Line { return s.Line(id, text) }
}
