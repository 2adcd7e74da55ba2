package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Fetch fetches refs of the server. A spec is a refspec as git knows it; a pattern that matches nothing is not an error. Apart from these
// refs and new objects, nothing is changed: no other ref, no tag, no FETCH_HEAD.
func (r Remote) Fetch(ctx context.Context, specs ...string) error {
	args := []string{
		"-c", "fetch.fsckObjects=true", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"fetch", "--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--no-recurse-submodules", "--refmap=", "--", r.Name,
	}
	for _, spec := range specs {
		if _, to, ok := strings.Cut(spec, ":"); ok {
			r.locks = append(r.locks, filepath.Join(r.git.CommonDir, filepath.FromSlash(strings.TrimSuffix(to, "*"))+".lock"))
		}
	}
	_, err := r.run(ctx, append(args, specs...)...)
	return err
}

// Sum returns a checksum of the URL from which the remote is fetched. The checksum does not reveal the URL. The user, the password, the
// protocol and a ".git" at the end do not matter, so that the same repository has the same sum over ssh and over HTTP.
func (r Remote) Sum(ctx context.Context) (string, error) {
	at, err := r.git.Line(ctx, "remote", "get-url", "--", r.Name)
	if err != nil {
		return "", err
	}
	plain := plainURL(at)
	if strings.HasPrefix(plain, ".") { // a path relative to the main worktree
		dir, err := r.git.Line(ctx, "rev-parse", "--path-format=absolute", "--git-common-dir")
		if err != nil {
			return "", err
		}
		plain = filepath.Join(filepath.Dir(dir), plain)
	}
	sum := sha256.Sum256([]byte(plain))
	return hex.EncodeToString(sum[:8]), nil
}

// scpLike is git's short form of an ssh URL: user@host:path.
var scpLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[^/@:]+@)?([^/:]{2,}):(.*)$`) })

// plainURL returns the part of a URL by which two URLs of the same repository are recognized: it leaves out the protocol, user, password,
// query, and ".git" at the end. It keeps the port only in a URL that begins with "http:", because test servers and tunnels on one host may
// differ only in the port.
func plainURL(text string) string {
	text = strings.TrimPrefix(text, "file://")
	host, path := "", text
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		host, path = u.Hostname(), u.Path
		if p := u.Port(); u.Scheme == "http" && p != "" {
			host += ":" + p
		}
	} else if m := scpLike().FindStringSubmatch(text); m != nil {
		host, path = m[1], "/"+strings.TrimPrefix(m[2], "/")
	}
	return strings.ToLower(host) + strings.TrimSuffix(strings.TrimRight(path, "/"), ".git")
}
