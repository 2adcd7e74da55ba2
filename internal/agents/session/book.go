package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/internal/agents"
)

// Record is a note about one session that worked in this repository. It can be deleted without losing anything of a run.
type Record struct {
	Agent   string `json:"agent"`
	Session string `json:"session"`
	// Dir is the folder in which the session works. Admin is the name under which git knows the worktree of that folder.
	Dir   string `json:"dir,omitempty"`
	Admin string `json:"admin,omitempty"`
	// Root is the agent's own folder when the session last reported. Transcript is the path of the transcript as the agent reported it.
	Root       string            `json:"root,omitempty"`
	Transcript string            `json:"transcript,omitempty"`
	Actor      *checkpoint.Actor `json:"actor,omitempty"`
	// Last is when the session last reported something. If only this time changes, it is stored as the modification time of the note's
	// file.
	Last time.Time `json:"last"`
	// Left is true after the session said that it ends.
	Left bool `json:"left,omitempty"`
	// Child is true if the session belongs to a subagent.
	Child bool `json:"child,omitempty"`
}

// Book is the folder .git/resume/sessions, with one note for each session. Its files are signed, because they name paths, and a repository
// with such files can be copied here from another machine.
type Book struct {
	Folder files.Folder
	Keys   *clone.Keys
}

const (
	// sessionDomain is part of every signature of a note, so that no other signed file of ours is accepted as a note.
	sessionDomain = "git-resume session 1"
	// maxRecords is how many notes about sessions are kept. The oldest are deleted first.
	maxRecords = 64
)

func (b Book) path(agent, session string) string {
	return b.Folder.Path("sessions", agent+"-"+session)
}

// Get returns the note about a session. ok is false if there is none, or if we did not write it.
func (b Book) Get(agent, session string) (rec Record, ok bool) {
	if _, known := agents.Lookup(agent); !known || !agents.IsSession(session) {
		return Record{}, false
	}
	return b.read(b.path(agent, session))
}

func (b Book) read(path string) (rec Record, ok bool) {
	text, err := files.ReadSmall(path)
	if err != nil {
		return Record{}, false
	}
	mac, body, found := strings.Cut(string(text), " ")
	if !found || !b.Keys.Sealed(mac, sessionDomain, filepath.Base(path), body) || json.Unmarshal([]byte(body), &rec) != nil {
		return Record{}, false
	}
	if info, err := os.Lstat(path); err == nil && info.ModTime().After(rec.Last) {
		rec.Last = info.ModTime()
	}
	return rec, rec.Agent+"-"+rec.Session == filepath.Base(path)
}

// Note writes the note about a session, and deletes the oldest notes if there are too many. If only the time is new, it changes only the
// modification time of the file, which is faster: an agent waits for its hooks.
func (b Book) Note(rec, was Record) error {
	same := rec
	if same.Last = was.Last; reflect.DeepEqual(same, was) {
		return os.Chtimes(b.path(rec.Agent, rec.Session), rec.Last, rec.Last)
	}
	body, err := checkpoint.Marshal(rec)
	if err != nil {
		return err
	}
	path := b.path(rec.Agent, rec.Session)
	mac, err := b.Keys.Seal(sessionDomain, filepath.Base(path), string(body))
	if err != nil {
		return err
	}
	if err := files.ReplaceFile(path, []byte(mac+" "+string(body)+"\n")); err != nil {
		return err
	}
	b.forget()
	return nil
}

// All returns the notes about sessions that we wrote and can read, the newest first.
func (b Book) All() (out []Record) {
	entries, _ := os.ReadDir(b.Folder.Path("sessions"))
	for _, e := range entries[:min(len(entries), 4*maxRecords)] {
		if rec, ok := b.read(b.Folder.Path("sessions", e.Name())); ok {
			out = append(out, rec)
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return b.Last.Compare(a.Last) })
	return out
}

func (b Book) forget() {
	entries, _ := os.ReadDir(b.Folder.Path("sessions"))
	if len(entries) <= maxRecords {
		return
	}
	age := func(e os.DirEntry) time.Time {
		info, err := e.Info()
		if err != nil {
			return time.Time{}
		}
		return info.ModTime()
	}
	slices.SortFunc(entries, func(x, y os.DirEntry) int { return age(x).Compare(age(y)) })
	for _, e := range entries[:len(entries)-maxRecords] {
		_ = files.RemoveQuiet(b.Folder.Path("sessions", e.Name()))
	}
}
