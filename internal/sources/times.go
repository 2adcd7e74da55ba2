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
	{"2006-01-02 15:04:05Z07:00", false}, {"2006-01-02 15:04:05 -0700", false}, {"2006-01-02 15:04 MST", false},
	{"2006-01-02T15:04:05.999999999", true}, {"2006-01-02T15:04", true}, {"2006-01-02 15:04:05.999999999", true},
	{"2006-01-02 15:04", true}, {"2006-01-02", true},
}

// ParseTime parses a time. The result naive says that the text had no time zone and was read as local time.
func ParseTime(text string) (t time.Time, naive, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01-02") || len(text) > 64 || !utf8.ValidString(text) {
		return time.Time{}, false, false
	}
	for _, f := range timeForms {
		where := time.UTC
		if f.naive {
			where = time.Local
		}
		if t, err := time.ParseInLocation(f.form, text, where); err == nil {
			return t.UTC(), f.naive, true
		}
	}
	return time.Time{}, false, false
}

// Shown formats a time in the time zone of the user.
func (v *View) Shown(t time.Time) string { return t.In(v.Now.Location()).Format("2006-01-02 15:04") }
