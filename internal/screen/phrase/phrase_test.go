package phrase

import (
	"testing"
	"time"
)

func TestLongAgo(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 0: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 90 * time.Minute: "1 hour ago", 49 * time.Hour: "2 days ago",
	} {
		if got := LongAgo(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestMoment_isInTheReadersZone(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 14, 20, 42, 7, 0, time.UTC)
	for zone, want := range map[*time.Location]string{
		time.UTC: "2026-11-14 20:42:07", time.FixedZone("IST", 5*3600+1800): "2026-11-15 02:12:07",
	} {
		if got := Moment(at, zone); got != want {
			t.Errorf("in %v it is %s, want %s", zone, got, want)
		}
	}
}
