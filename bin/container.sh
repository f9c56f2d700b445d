#!/bin/sh
# Starts Vedette in the container. A user other than root has no capabilities, even if the container
# permits them. The program `with-net-raw` has CAP_NET_RAW and passes it on, which traces over TCP and
# packet captures need. It fails where the capability is not permitted, as with `--cap-drop ALL`.
with_net_raw="with-net-raw --inh-caps=+net_raw --ambient-caps=+net_raw --"
if $with_net_raw true 2>/dev/null; then
  # The C library removes TMPDIR from the environment of a program with capabilities.
  exec $with_net_raw env ${TMPDIR:+"TMPDIR=$TMPDIR"} vedette "$@"
fi
exec vedette "$@"
