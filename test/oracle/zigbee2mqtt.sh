#!/usr/bin/env bash
# Runs the contract of the providers against the real zigbee2mqtt (GPL-3.0: a process of its own, installed into a temporary
# directory, no part of Steward) with a faked radio and a private Mosquitto. Nothing else runs it; it needs the network for npm.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
directory=$(mktemp -d)
hub=
broker=
cleanup() {
  [ -z "$hub" ] || kill "$hub" 2>/dev/null || true
  [ -z "$broker" ] || kill "$broker" 2>/dev/null || true
  rm -rf "$directory"
}
trap cleanup EXIT

port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$directory/mosquitto.conf"
PATH=$PATH:/usr/sbin mosquitto -c "$directory/mosquitto.conf" >"$directory/mosquitto.log" 2>&1 &
broker=$!

mkdir "$directory/data"
endpoint() {
  printf '{"profId":260,"epId":1,"devId":%s,"inClusterList":%s,"outClusterList":[],"clusters":{},"binds":[],"configuredReportings":[],"meta":{}}' "$1" "$2"
}
cat >"$directory/data/database.db" <<END
{"id":1,"type":"Coordinator","ieeeAddr":"0x00124b0000000000","nwkAddr":0,"manufId":0,"epList":[1],"endpoints":{"1":$(endpoint 5 '[]')},"interviewCompleted":true,"meta":{}}
{"id":2,"type":"EndDevice","ieeeAddr":"0x00158d0000000001","nwkAddr":4660,"manufId":4125,"manufName":"Yale","modelId":"YRD226/246 TSDB","powerSource":"Battery","epList":[1],"endpoints":{"1":$(endpoint 10 '[0,1,3,257]')},"interviewCompleted":true,"meta":{}}
{"id":3,"type":"EndDevice","ieeeAddr":"0x00158d0000000002","nwkAddr":4661,"manufId":4151,"manufName":"LUMI","modelId":"lumi.weather","powerSource":"Battery","epList":[1],"endpoints":{"1":$(endpoint 770 '[0,1,1026,1029]')},"interviewCompleted":true,"meta":{}}
END
cat >"$directory/data/configuration.yaml" <<END
version: 5
mqtt:
  base_topic: zigbee2mqtt
  server: mqtt://127.0.0.1:$port
serial:
  port: /dev/null
  adapter: zstack
advanced:
  log_level: info
  log_output: [console]
  last_seen: ISO_8601
  pan_id: 6754
  channel: 11
devices:
  '0x00158d0000000001':
    friendly_name: front door
  '0x00158d0000000002':
    friendly_name: hall/climate
END
printf 'none' >"$directory/fault"
printf 'locked' >"$directory/bolt"
: >"$directory/moves"

cd "$directory"
printf '{"name":"oracle","private":true}' >package.json
npm install --silent --no-audit --no-fund "zigbee2mqtt@${ZIGBEE2MQTT_VERSION:-2.14.1}"
RADIO_DIRECTORY=$directory ZIGBEE2MQTT_DATA=$directory/data "$root/node_modules/.bin/node" \
  --require "$root/test/oracle/faked-radio.cjs" node_modules/zigbee2mqtt/index.js >"$directory/hub.log" 2>&1 &
hub=$!
for _ in $(seq 150); do
  grep -q 'Zigbee2MQTT started' "$directory/hub.log" && break
  kill -0 "$hub" 2>/dev/null || break
  sleep 0.2
done
grep -q 'Zigbee2MQTT started' "$directory/hub.log" || { tail -40 "$directory/hub.log"; exit 1; }

cd "$root"
RADIO_DIRECTORY=$directory ORACLE_PORT=$port node_modules/.bin/node --test test/oracle/zigbee2mqtt.ts || { tail -40 "$directory/hub.log"; exit 1; }
