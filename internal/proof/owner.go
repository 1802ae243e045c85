package proof

// Owner is the user who owns a socket. It is not known when the system does not tell, and when no
// process holds the socket any more: the kernel then reports uid 0, which must count for nothing.
type Owner struct {
	Known bool
	UID   uint32
}
