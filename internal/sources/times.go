package sources

import (
	"strings"
	"time"
	"unicode/utf8"
)

// timeForms lists the formats in which systems write times. A naive format has no time zone, so its times are read as local time.
var timeForms = []struct {
	form  string
	naive bool
}{
	{time.RFC3339Nano, false}, {"2006-01-02T15:04:05Z0700", false}, {"2006-01-02T15:04Z07:00", false},
	{"2006-01-02 15:04:05Z07:00", false}, {"2006-01-02 15:04:05 -0700", false}, {withZone, false},
	{"2006-01-02T15:04:05.999999999", true}, {"2006-01-02T15:04", true}, {"2006-01-02 15:04:05.999999999", true},
	{"2006-01-02 15:04", true}, {"2006-01-02", true},
}

// withZone is a format with an abbreviation for the time zone, such as CET.
const withZone = "2006-01-02 15:04 MST"

// inZone returns a time that was parsed with withZone. Abbreviations are not unique, so only UTC, GMT, forms such as GMT+2, and the
// abbreviations of the local time zone are known. With any other abbreviation, the time is read as local time, and naive is true.
func inZone(t time.Time) (at time.Time, naive bool) {
	name, offset := t.Zone()
	switch {
	case t.Location() == time.Local || t.Location() == time.UTC:
		return t, false
	case strings.HasPrefix(name, "GMT"):
		return t.Add(-time.Duration(offset) * time.Second), false // package time does not subtract the offset of a zone such as GMT+2
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.Local), true
}

// ParseTime parses a time. The result "naive" says that the text had no time zone, or an unknown one, and was read as local time.
func ParseTime(text string) (t time.Time, naive, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01-02") || len(text) > 64 || !utf8.ValidString(text) {
		return time.Time{}, false, false
	}
	for _, f := range timeForms {
		if t, err := time.ParseInLocation(f.form, text, time.Local); err == nil {
			naive := f.naive
			if f.form == withZone {
				t, naive = inZone(t)
			}
			return t.UTC(), naive, true
		}
	}
	return time.Time{}, false, false
}

// Shown formats a time in the time zone of the user.
func (v *View) Shown(t time.Time) string { return t.In(v.Now.Location()).Format("2006-01-02 15:04") }
