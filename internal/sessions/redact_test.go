package sessions

import "testing"

func TestRedacted(t *testing.T) {
	for _, c := range [][2]string{
		{`curl -H "Authorization: Bearer abc.def-123" https://x`, `curl -H "Authorization: Bearer [hidden]" https://x`},
		{"export STRIPE_API_KEY=sk_live_1234567890abcdef", "export STRIPE_API_KEY=[hidden]"},
		{"curl -u ada:secret https://x", "curl -u [hidden] https://x"},
		{"git clone https://ada:hunter2@host/x", "git clone https://[hidden]@host/x"},
		{"psql password=hunter22", "psql password=[hidden]"},
		{"use ghp_abcdefghijklmnopqrst0123", "use [hidden]"},
		{"DB_PASSWORD='x y' make", "DB_PASSWORD='[hidden] y' make"},
		{"fix the token parser, then commit", "fix the token parser, then commit"},
		{"go test ./internal/sessions -run TestKey", "go test ./internal/sessions -run TestKey"},
		{"in Bash: git checkout feature/login", "in Bash: git checkout feature/login"},
	} {
		if got := redacted(c[0]); got != c[1] {
			t.Errorf("%q is shown as %q, want %q", c[0], got, c[1])
		}
	}
}
