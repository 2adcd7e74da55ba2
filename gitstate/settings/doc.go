// Package settings reads and interprets the user's and the repository's settings.
package settings
