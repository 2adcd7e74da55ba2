package exchange

import (
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// Wip says which uncommitted work is sent to the remote, and which is removed from there.
type Wip struct {
	// Send is the commit with the uncommitted work to send, or empty.
	Send object.ID
	// Used is a commit of the remote with uncommitted work that was put into the worktree here. The remote does not need this commit any more,
	// so it is removed there. If the remote has other uncommitted work by now, that work stays.
	Used object.ID
}

// wipMove returns the move of the remote's ref for uncommitted work, or nothing if that ref stays as it is. Work that is sent from here
// replaces the work at the remote, except if the remote has commits that the branch here lacks. If nothing is sent, the ref is removed
// after its work was used here, or if the run is closed.
func wipMove(x *Exchange) []remote.Move {
	was, now := x.Look.Wip, x.wip.Send
	switch {
	case was == now, now == "" && was != x.wip.Used && !x.Journal.Run.Closed():
		return nil
	case now != "" && (x.Ahead > 0 || x.Apart): // do not send work that is based on an older commit than the last one at the remote
		return nil
	}
	return []remote.Move{{Ref: there(wipKind, x.Look.Run), Old: was, New: now}}
}
