package commit

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/settings"
)

// writeOwn writes an unsigned commit without git. ok is false if git has to write the commit, because something in it is unusual or the
// write failed.
func (m *maker) writeOwn(ctx context.Context, c *settings.Config, message string) (id object.ID, ok bool) {
	author, committer, ok := m.signatures(c)
	if !ok || !isPlain(message) || len(m.author) > 0 || message == "" {
		return "", false
	}
	h, err := m.r.Settings.Hasher(ctx)
	if err != nil {
		return "", false
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "tree %s\n", m.out.Tree)
	if m.head != "" {
		fmt.Fprintf(&text, "parent %s\n", m.head)
	}
	fmt.Fprintf(&text, "author %s\ncommitter %s\n\n%s", author, committer, message)
	p := object.NewPending(h)
	id = p.Add("commit", text.Bytes())
	return id, m.r.Objects.Write(ctx, p) == nil
}

// signatures returns the author and the committer as git writes them. ok is false if git itself must determine them, for example because
// a date is set, or if there is no clock.
func (m *maker) signatures(c *settings.Config) (author, committer string, ok bool) {
	zone, ok := m.zone()
	if !ok || m.q.Now == nil {
		return "", "", false
	}
	now := m.q.Now().In(zone)
	committer, ok = m.signature(c, "committer", now)
	if !ok {
		return "", "", false
	}
	if a := m.q.Again; a != nil {
		author, ok = plainSignature(a.Author.Name, a.Author.Email, a.Author.When)
		return author, committer, ok
	}
	author, ok = m.signature(c, "author", now)
	return author, committer, ok
}

func (m *maker) signature(c *settings.Config, who string, now time.Time) (string, bool) {
	upper := "GIT_" + strings.ToUpper(who)
	if _, dated := m.r.Var(upper + "_DATE"); dated {
		return "", false
	}
	find := func(what string) string {
		if v, ok := m.r.Var(upper + "_" + strings.ToUpper(what)); ok {
			return v
		}
		for _, key := range []string{who + "." + what, "user." + what} {
			if v, ok := c.Get(key); ok {
				return v
			}
		}
		return ""
	}
	return plainSignature(find("name"), find("email"), now)
}

// plainSignature returns a name, an address and a time as a line of a commit. The bool is false if the name or the address is missing, or
// if git would change one of the three.
func plainSignature(name, email string, at time.Time) (string, bool) {
	for _, s := range []string{name, email} {
		if s == "" || !isPlain(s) || strings.ContainsAny(s, "<>\n") || isCrud(s[0]) || isCrud(s[len(s)-1]) {
			return "", false
		}
	}
	if at.Unix() <= 0 {
		return "", false
	}
	return fmt.Sprintf("%s <%s> %d %s", name, email, at.Unix(), at.Format("-0700")), true
}

// isCrud reports whether git removes a character from the ends of a name.
func isCrud(b byte) bool { return b <= ' ' || strings.IndexByte(`.,:;<>"\'`, b) >= 0 }

// isPlain reports whether git accepts a text as UTF-8 and writes it unchanged.
func isPlain(text string) bool {
	const noCharacters, end = 0xfdd0, 0xfdef
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return false
	}
	for _, r := range text {
		if r >= noCharacters && r <= end || r&0xfffe == 0xfffe {
			return false
		}
	}
	return true
}

// zone returns the zone in which git writes times. ok is false if the variable TZ has a form that only the C library understands.
func (m *maker) zone() (*time.Location, bool) {
	tz, set := m.r.Var("TZ")
	if !set {
		return time.Local, true
	}
	zone, err := time.LoadLocation(strings.TrimPrefix(tz, ":"))
	return zone, err == nil
}
