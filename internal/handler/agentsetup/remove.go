package agentsetup

import (
	"bytes"
	"slices"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/splice"
)

// PlanUninstall works out what an uninstallation changes. It looks where the record says that something was written, and where an
// installation would write today.
func (s *Setup) PlanUninstall(list []agents.Agent) (Plan, error) {
	r, err := s.load()
	if err != nil {
		return Plan{}, err
	}
	all := func(agents.Agent) bool { return true }
	pieces := s.pieces(list, nil, all)
	for _, f := range r.Files { // also look at recorded files in other folders: an environment variable may have changed since the installation
		known := slices.ContainsFunc(pieces, func(w wanted) bool { return w.Path == f.Path })
		if names := common(f.Agents, list); !known && f.Project == s.Place.Project && len(names) > 0 {
			pieces = append(pieces, wanted{elsewhere(f), names})
		}
	}
	var plan Plan
	for _, w := range pieces {
		if c, ok := s.removal(w, r.find(w.Path), len(list) == len(agents.All)); ok {
			if c.Changes() && c.file.kept != nil {
				c.Err = c.file.kept
			}
			plan.Changes = append(plan.Changes, c)
		}
	}
	return plan, nil
}

// elsewhere returns what to remove for a recorded file whose folder is not the folder for installations any more.
func elsewhere(f fileRecord) agents.Piece {
	if len(f.Edits) == 0 {
		return agents.Piece{Path: f.Path, Own: []byte{}}
	}
	return agents.Piece{Path: f.Path, Format: splice.Format{Comments: true, BOM: true}}
}

func common(names []string, list []agents.Agent) (out []string) {
	for _, a := range list {
		if slices.Contains(names, a.Name) {
			out = append(out, a.Name)
		}
	}
	return out
}

// removal works out how an uninstallation changes one file. ok is false if the plan need not mention the file.
func (s *Setup) removal(w wanted, old *fileRecord, everything bool) (c Change, ok bool) {
	c = Change{Agents: w.agents, Path: w.Path, own: !w.Shared()}
	c.file, c.Err = s.read(w.Path, c.own)
	c.Was, c.Had, c.Has, c.Now = c.file.data, c.file.exists, c.file.exists, c.file.data
	if c.Err != nil {
		return c, old != nil
	}
	if old != nil {
		if left := slices.DeleteFunc(slices.Clone(old.Agents), func(n string) bool { return slices.Contains(w.agents, n) }); len(left) > 0 && c.own {
			kept := *old
			kept.Agents, c.entry = left, &kept
			return c, true // the file stays, because other agents need it
		}
	}
	if !c.Had {
		return c, old != nil
	}
	if c.own {
		return s.removalOfOwn(c, w, old, everything)
	}
	err := c.removeShared(w.Piece, old)
	if err != nil {
		c.Err = refusal(w.Path, err)
		return c, old != nil || bytes.Contains(c.Was, []byte("git-resume agent-event"))
	}
	c.Has = !(len(bytes.TrimSpace(c.Now)) == 0 && old != nil && old.Made)
	return c, old != nil || c.Changes()
}

func (s *Setup) removalOfOwn(c Change, w wanted, old *fileRecord, everything bool) (Change, bool) {
	isOurs := old != nil && old.After == hash(c.Was) || bytes.Equal(agents.Renewed(c.Was), w.Own) || s.wroteOnce(w, agents.Renewed(c.Was))
	switch {
	case old == nil && !isOurs:
		return c, false
	case old == nil && !everything && len(s.users(w.Path)) > 1: // without a record it is not known whether another agent needs the file, so it stays
		return c, false
	case !isOurs:
		c.Err = &RefusedError{Path: w.Path, Why: "it was changed after git-resume wrote it"}
		return c, true
	}
	c.Has, c.Now = false, nil
	return c, true
}

// users returns all known agents for which an installation writes the file at this path, whether it was installed for them or not.
func (s *Setup) users(path string) (names []string) {
	for _, w := range s.pieces(agents.All, nil, func(agents.Agent) bool { return false }) {
		if w.Path == path {
			return w.agents
		}
	}
	return nil
}

// wroteOnce reports whether a file has exactly the content that an installation writes for one of the agents. The content can depend on the
// version of the agent, and wroteOnce uses the version with which we tried our hooks.
func (s *Setup) wroteOnce(w wanted, text []byte) bool {
	for _, name := range w.agents {
		a, _ := agents.Lookup(name) // this cannot fail, because the name comes from our own table
		for _, p := range a.Pieces(s.Place, a.Tried, false) {
			if p.Path == w.Path && bytes.Equal(p.Own, text) {
				return true
			}
		}
	}
	return false
}

func (c *Change) removeShared(p agents.Piece, old *fileRecord) (err error) {
	if old != nil && hash(c.Was) == old.After {
		if out, ok := splice.Undo(c.Was, old.Edits); ok && hash(out) == old.Before {
			c.Now = out
			return nil
		}
	}
	if p.Setting == nil {
		c.Now, err = cleaned(c.Was, p.Format, old)
		return err
	}
	if old == nil {
		return nil // without a record, assume that the user wrote the setting
	}
	out, ok, err := splice.RemoveTOML(c.Was, *p.Setting, old.Edits)
	if err != nil {
		return err
	}
	if !ok {
		return &RefusedError{Path: p.Path, Why: "the setting was changed after git-resume wrote it"}
	}
	c.Now = out
	return nil
}
