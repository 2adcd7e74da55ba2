package sessions

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func opencodeRoot(w Where) string {
	return filepath.Join(w.setting("XDG_DATA_HOME", filepath.Join(w.Home, ".local", "share")), "opencode")
}

func (r *reader) opencode() error {
	var names []string
	if v := r.Env("OPENCODE_DB"); filepath.IsAbs(v) {
		names = append(names, v)
	} else if filepath.IsLocal(v) {
		names = append(names, filepath.Join(r.root, v))
	}
	for _, e := range r.list(r.root) {
		if strings.HasPrefix(e.Name(), "opencode") && strings.HasSuffix(e.Name(), ".db") && e.Type().IsRegular() {
			names = append(names, filepath.Join(r.root, e.Name()))
		}
	}
	slices.Sort(names)
	var all []Session
	var fault error
	for _, name := range slices.Compact(names) {
		var here []Session
		if err := stable(name, func(d *database) error { here = nil; return r.opencodeSessions(d, &here) }); err != nil {
			fault = err // the others may be readable
			continue
		}
		all = append(all, here...)
	}
	r.addLiving(newestOfEach(all), "opencode", ".opencode", "opencode.exe")
	return fault
}

func (r *reader) opencodeSessions(d *database, all *[]Session) error {
	sessions, messages, parts := d.tables["session"], d.tables["message"], d.tables["part"]
	if sessions.root == 0 || messages.root == 0 || parts.root == 0 {
		return errNoDatabase
	}
	var wanted []row
	err := d.rows(sessions, func(s row) bool {
		updated := time.UnixMilli(s.number("time_updated"))
		if s.value("parent_id") == nil && s.value("time_archived") == nil && r.treeOf(s.text("directory")) != "" &&
			(r.Days == 0 || r.Now.Sub(updated) < time.Duration(r.Days)*24*time.Hour) {
			wanted = append(wanted, s)
		}
		return true
	})
	for _, row := range wanted {
		if err != nil {
			return err
		}
		id, dir := row.text("id"), row.text("directory")
		s := Session{ID: id, Dir: dir, Title: row.text("title"), Began: time.UnixMilli(row.number("time_created")), Last: time.UnixMilli(row.number("time_updated")),
			Command: []string{"opencode", dir, "-s", id}, Unattended: []string{"opencode", "run", "-s", id, "Go on."}}
		if err = d.opencodeEnd(&s, messages, parts); err == nil {
			*all = append(*all, s)
		}
	}
	return err
}

// opencodeMessage is the newest message of a session of OpenCode, as far as it is understood.
type opencodeMessage struct {
	Role, Finish string
	Time         struct{ Created, Completed float64 }
	Tokens       struct {
		Input, Output int
		Cache         struct{ Read, Write int }
	}
	Error *struct {
		Name string
		Data struct {
			Message         string
			StatusCode      int
			ResponseHeaders map[string]string
		}
	}
}

type opencodePart struct {
	Type, Text, Tool string
	State            struct {
		Status string
		Input  given
	}
}

func (p *opencodePart) isOpen() bool {
	return p.State.Status == "pending" || p.State.Status == "running"
}

// opencodeEnd finds out how the last turn of a session ended.
func (d *database) opencodeEnd(s *Session, messages, parts table) error {
	last, err := d.entries("message_session_time_created_id_idx", messages, s.ID, 1)
	if err != nil || len(last) == 0 {
		return err
	}
	const mostParts = 20
	rows, err := d.entries("part_message_id_id_idx", parts, last[0].text("id"), mostParts)
	if err != nil {
		return err
	}
	var m opencodeMessage
	decode([]byte(last[0].text("data")), &m)
	var said string
	var tool *opencodePart
	for _, r := range rows {
		var p opencodePart
		decode([]byte(r.text("data")), &p)
		switch p.Type {
		case "text":
			said = p.Text
		case "tool":
			if tool == nil || !tool.isOpen() || p.isOpen() {
				tool = &p
			}
		}
	}
	s.Tokens = m.Tokens.Input + m.Tokens.Output + m.Tokens.Cache.Read + m.Tokens.Cache.Write
	switch {
	case m.Role == "user":
		s.cut(notAnswered)
	case m.Error != nil:
		s.opencodeFault(&m)
	case tool != nil && tool.isOpen():
		if s.inTool(tool.Tool, tool.State.Input.Command); tool.Tool == "question" {
			s.State, s.Detail = Waits, tool.State.Input.asked()
		}
	case m.Time.Completed == 0 || m.Finish == "tool-calls" || m.Finish == "unknown":
		s.cut(whileWorking)
	default:
		s.spoken(said)
	}
	return nil
}

func (s *Session) opencodeFault(m *opencodeMessage) {
	const tooMany, pay = 429, 402
	e := m.Error
	switch {
	case e.Name == "MessageAbortedError":
		s.stopped()
	case e.Data.StatusCode == tooMany || e.Data.StatusCode == pay || limited.MatchString(e.Data.Message):
		s.State, s.Detail = Limit, e.Data.Message
		if after, err := strconv.ParseFloat(e.Data.ResponseHeaders["retry-after"], 64); err == nil && m.Time.Created > 0 {
			s.Until = time.UnixMilli(int64(m.Time.Created)).Add(time.Duration(after * float64(time.Second)))
		}
	default:
		s.failed(firstOf(e.Data.Message, e.Name))
	}
}
