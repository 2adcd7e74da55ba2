// Package remotetest serves git repositories to tests over HTTP. It uses git's own server program.
package remotetest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/git-resume/git-resume/internal/proc"
)

// Server serves the repositories below a folder.
type Server struct {
	*httptest.Server
	// Refuse, if it is set, is the HTTP status of every answer to a push.
	Refuse atomic.Int32
	// While Down is true, every request fails.
	Down atomic.Bool
	// Cut is how many of the next pushes get only the beginning of an answer, although the refs have moved. Drop is how many get no answer
	// at all; git's HTTP library then sends the push once more.
	Cut, Drop atomic.Int32
	// Pushes counts the pushes that arrived, and Fetches counts the requests to fetch objects.
	Pushes, Fetches atomic.Int32
}

// Serve serves the repositories below the folder root until the test ends. It listens on loopback only. The argument env is the
// environment for finding git.
func Serve(t testing.TB, root string, env []string) *Server {
	t.Helper()
	path, err := proc.Command{Name: "git", Args: []string{"--exec-path"}, Env: env}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	backend := &cgi.Handler{
		Path:   filepath.Join(strings.TrimSpace(string(path.Stdout)), "git-http-backend"),
		Env:    []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=test", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
		Stderr: io.Discard,
	}
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(backend, w, r) }))
	t.Cleanup(s.Close)
	return s
}

func (s *Server) serve(backend http.Handler, w http.ResponseWriter, r *http.Request) {
	if s.Down.Load() {
		http.Error(w, "not now", http.StatusServiceUnavailable)
		return
	}
	body, err := io.ReadAll(r.Body) // the backend needs to know the length of what git sends in chunks
	if err != nil {
		return
	}
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
		s.Fetches.Add(1)
	}
	if !strings.HasSuffix(r.URL.Path, "/git-receive-pack") {
		backend.ServeHTTP(w, r)
		return
	}
	s.Pushes.Add(1)
	switch code := int(s.Refuse.Load()); {
	case code != 0:
		http.Error(w, "not now", code)
	case s.Drop.Add(-1) >= 0:
		backend.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case s.Cut.Add(-1) >= 0:
		backend.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	default:
		backend.ServeHTTP(w, r)
	}
}

// Origin gives a repository the remote "origin", which is served over HTTP and has the branch main. The result "at" is the folder of the
// remote's repository. The argument "git" is a function that runs git in the repository that gets the remote.
func Origin(t testing.TB, git func(...string) string, env []string) (at string, s *Server) {
	t.Helper()
	at = filepath.Join(t.TempDir(), "shop.git")
	git("init", "-q", "--bare", at)
	s = Serve(t, filepath.Dir(at), env)
	git("remote", "add", "origin", s.URL+"/shop.git")
	git("push", "-q", "origin", "main")
	return at, s
}
