package exchange

import (
	"encoding/json"
	"os"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Seen is what was last seen of a run at a remote. It is shown to people. When a run is taken over, it can be bound only to the remote that
// Seen names: this clone has seen the run there itself, whereas a journal line of another clone could name any remote. The file of Seen can
// be deleted, and the next look at the remote writes it again.
type Seen struct {
	V      int       `json:"v"`
	Remote string    `json:"remote"`
	Sum    string    `json:"sum"`
	At     time.Time `json:"at"`
	Head   object.ID `json:"head,omitempty"`
	// Lease is the number of the newest lease. By names who took it: a scheduler's job or, without a scheduler, a host. Ours is true if
	// this clone took it. Free is true if nobody has the lease now.
	Lease int    `json:"lease,omitempty"`
	By    string `json:"by,omitempty"`
	Ours  bool   `json:"ours,omitempty"`
	Free  bool   `json:"free,omitempty"`
}

func seenPath(d files.Folder, id checkpoint.RunID) string { return d.Path("seen", string(id)) }

// ReadSeen returns what was last seen of a run at a remote, or nil. It does not contact the remote.
func ReadSeen(d files.Folder, id checkpoint.RunID) *Seen {
	text, err := files.ReadSmall(seenPath(d, id))
	var out Seen
	if err != nil || json.Unmarshal(text, &out) != nil || out.V != 1 {
		return nil
	}
	return &out
}

// remember stores in a file what was seen at the remote.
func (e *Exchanger) remember(l *Look) error {
	now := Seen{V: 1, Remote: l.Remote, Sum: l.Sum, At: e.Now().UTC().Truncate(time.Second), Head: l.Head, Free: true}
	if n := lease.Newest(l.Leases); n != nil {
		now.Lease, now.By, now.Ours, now.Free = n.Number, Holder(n), n.Ours, n.Released != ""
	}
	return e.Store.Folder().WriteHint(seenPath(e.Store.Folder(), l.Run), now)
}

// Holder names who took a lease. This is the name of a scheduler's job or, without a scheduler, the name of a host. The result is empty if
// neither is known.
func Holder(l *lease.Lease) string {
	switch {
	case l.Seat != "":
		return l.Seat
	case l.By != nil:
		return l.By.Host
	}
	return ""
}

// forget removes the file that remember wrote.
func (e *Exchanger) forget(id checkpoint.RunID) { _ = os.Remove(seenPath(e.Store.Folder(), id)) }
