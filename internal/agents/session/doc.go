// Package session finds out what is known about the sessions of coding agents: whether a session is alive, where its record is, and how its
// last turn ended.
//
// Agents keep files about their sessions. These files are hints: they set no path and start nothing, are read only up to a limit, and a
// session is called dead only if that is proven.
package session
