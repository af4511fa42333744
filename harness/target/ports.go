package target

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// Ports are taken from below the range that kernels hand out for outgoing connections (32768 and up on
// Linux): a server binds its port minutes after it was chosen, and by then a connection, or an engine that
// asks for "any port", could have got it.
const (
	firstPort = 20000
	lastPort  = 32000
	portTries = 200
)

// freePort finds a loopback port that nobody listens on now and that is not in taken.
func freePort(taken map[int]bool) (int, error) {
	for range portTries {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if taken[port] {
			continue
		}
		l, err := listen(port)
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			return 0, err
		}
		taken[port] = true
		return port, nil
	}
	return 0, errors.New("no free port on 127.0.0.1 between 20000 and 32000")
}

// listen opens a port of the loopback interface; 0 is any free one.
func listen(port int) (net.Listener, error) {
	return (&net.ListenConfig{}).Listen(context.Background(), "tcp4", fmt.Sprintf("127.0.0.1:%d", port))
}
