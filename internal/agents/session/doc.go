// Package session finds out what is known about the sessions of coding agents: whether a session is alive, where its record is, and how its
// last turn ended.
//
// Agents keep files about their sessions. Anybody could have written these files, so they are only hints: no path from them is used
// unchecked, nothing in them is executed, and only a limited part of them is read. A session counts as dead only if that is proven.
package session
