package journal

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/checkpoint"
)

// In a cache file, the state of a run without its tasks is a row of cells, one for each value. The method visit determines their order.
// JSON was too slow: a short command spent a quarter of its time on examining the Go types of the state.

// cells writes the values of a state to a row of cells, or reads the values from such a row.
type cells struct {
	// If reading is true, values are read from the field "in", which holds what remains to be read. Otherwise values are written to the
	// field "out".
	reading bool
	out     []byte
	in      string
	// odd is true if something cannot be written as a cell, or if a cell cannot be read.
	odd bool
}

// rowOf returns a state as a row of cells, or false if a row cannot hold the state.
func rowOf(s cacheFile) ([]byte, bool) {
	c := &cells{}
	c.visit(&s)
	return c.out, !c.odd
}

// parseRow reads what rowOf wrote. ok is false if that is not possible.
func parseRow(text []byte) (s cacheFile, ok bool) {
	c := &cells{reading: true, in: string(text)}
	c.visit(&s)
	return s, !c.odd && c.in == ""
}

// visit writes or reads all values of a state, in a fixed order. The first is the version, a number, so that no row looks like a JSON
// object.
func (c *cells) visit(s *cacheFile) {
	c.number(&s.V)
	texts(c, &s.Tip, &s.Published, &s.Tree, &s.Tail.Head, &s.Tail.Key, &s.Tail.Base)
	c.flags(&s.Tail.Canonical)
	r := &s.Run
	texts(c, &r.ID)
	texts(c, &r.Name, &r.Base.Name, &r.Worktree, &r.Admin, &r.Take, &r.PlanFile, &r.Source, &r.SourceID, &r.Mode, &r.Cause, &r.Superseded, &r.Nonce, &r.Root, &r.Agreed)
	texts(c, &r.Base.Commit, &r.Plan, &r.PlanHash, &r.Head, &r.BaseTip, &r.Merged, &r.MergedTip, &r.Accepted)
	texts(c, &r.Branch)
	texts(c, &r.LastEvent)
	texts(c, &r.HandedTask, &r.Fruitless.Task, &r.InTree)
	texts(c, &r.Fruitless.Standing)
	c.flags(&r.Here, &r.Resumed, &r.Paused, &r.Finished, &r.Discarded, &r.Rooted, &r.Unsigned, &r.Diverged, &r.Rebuilt, &r.KeepGoing)
	for _, n := range []*int{&r.Planned, &r.Stops, &r.Epoch, &r.Events, &r.Unreadable, &r.Unknown, &r.Fruitless.Times, &r.Jobs} {
		c.number(n)
	}
	c.times(&r.Started, &r.LastAt, &r.TopAt, &r.HandedAt)
	c.longs(&r.Seq, &r.Top)
	for _, set := range []*checkpoint.LineSet{&r.Own, &r.Others} {
		c.number(&set.Lines)
		c.longs(&set.Seq)
		texts(c, &set.Sum)
	}
	for _, actor := range []**checkpoint.Actor{&r.Owner, &r.Driver, &r.Agent} {
		c.actor(actor)
	}
	c.turn(&r.Turn)
	rarely(c, &r.Left)
	rarely(c, &r.Setup)
	rarely(c, &r.Places)
	rarely(c, &r.Updating)
	rarely(c, &r.Foreign)
	rarely(c, &r.Share)
	rarely(c, &r.Lent)
}

func (c *cells) actor(to **checkpoint.Actor) {
	if has(c, to) {
		a := *to
		texts(c, &a.Host, &a.Boot, &a.NS, &a.Start, &a.Command, &a.Agent, &a.Session, &a.Nonce, &a.Clone)
		c.number(&a.PID)
		c.flags(&a.Shell)
	}
}

func (c *cells) turn(to **checkpoint.Turn) {
	if has(c, to) {
		t := *to
		texts(c, &t.Agent, &t.Session, &t.Until, &t.Limit)
		texts(c, &t.Cause)
		c.times(&t.Started, &t.Ended)
	}
}

// put writes one cell. It sets the field "odd" if the text has a control character or is not UTF-8.
func (c *cells) put(text string) {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		c.odd = true
	}
	c.out = append(append(c.out, text...), columnMark)
}

// next reads one cell. It sets the field "odd" if there is none.
func (c *cells) next() string {
	text, rest, ok := strings.Cut(c.in, string(columnMark))
	c.in, c.odd = rest, c.odd || !ok
	return text
}

func texts[T ~string](c *cells, values ...*T) {
	for _, v := range values {
		if c.reading {
			*v = T(c.next())
		} else {
			c.put(string(*v))
		}
	}
}

func (c *cells) longs(values ...*int64) {
	for _, v := range values {
		if !c.reading {
			c.put(number(*v))
			continue
		}
		n, ok := readNumber(c.next())
		*v, c.odd = n, c.odd || !ok
	}
}

func (c *cells) number(value *int) {
	n := int64(*value)
	c.longs(&n)
	*value = int(n)
}

func (c *cells) flags(values ...*bool) {
	for _, v := range values {
		if c.reading {
			*v = c.next() != ""
		} else if *v {
			c.put(strconv.Itoa(1))
		} else {
			c.put("")
		}
	}
}

func (c *cells) times(values ...*time.Time) {
	for _, v := range values {
		switch {
		case c.reading:
			c.odd = !readMoment(c.next(), v) || c.odd
		case !isText(*v):
			c.odd = true
		default:
			c.put(moment(*v))
		}
	}
}

// The function "has" writes or reads a cell that says whether an optional value is set, and returns true if it is set. If it reads that the
// value is set, it also allocates the value, which the caller fills in.
func has[T any](c *cells, to **T) bool {
	there := *to != nil
	if c.flags(&there); there && c.reading {
		*to = new(T)
	}
	return there
}

// The function "rarely" writes or reads a value that most runs do not have. The cell is empty or has JSON.
func rarely[T any](c *cells, value *T) {
	switch {
	case c.reading:
		text := c.next()
		c.odd = c.odd || text != "" && json.Unmarshal([]byte(text), value) != nil
	case reflect.ValueOf(value).Elem().IsZero():
		c.put("")
	default:
		text, err := checkpoint.Marshal(value)
		c.odd = c.odd || err != nil
		c.put(string(text))
	}
}
