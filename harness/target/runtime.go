package target

import "context"

// Names of the runtimes.
const (
	runtimeEmbedded  = "embedded"
	runtimeEndpoint  = "endpoint"
	runtimeProcess   = "process"
	runtimeContainer = "container"
)

func runtimeNames() []string {
	return []string{runtimeEmbedded, runtimeEndpoint, runtimeProcess, runtimeContainer}
}

// runtime is a way to run a component. A further one needs a name above and a type with these methods.
type runtime interface {
	// read takes the keys that belong to this runtime. A key that it does not ask for is an error of the file.
	read(r *specReader, m *mapping, c *Component, top shared)
	// start starts the component. What it started before an error it has stopped.
	start(ctx context.Context, s *Server, c Component) (instance, error)
}

func runtimeNamed(name string) (runtime, bool) {
	switch name {
	case runtimeEmbedded:
		return embeddedRuntime{}, true
	case runtimeEndpoint:
		return endpointRuntime{}, true
	case runtimeProcess:
		return processRuntime{}, true
	case runtimeContainer:
		return containerRuntime{}, true
	}
	return nil, false
}

// instance is a started component.
type instance interface {
	// address is the base URL at which it is asked.
	address() string
	// exit is nil while the component runs, and says in words how it ended.
	exit() error
	// stop ends the component: gently, and by force once its grace is over or hurry is closed. The error
	// names what is left.
	stop(hurry <-chan struct{}) error
}
