// Loaded before the real zigbee2mqtt: a radio with a lock and a sensor in reach, in place of a stick that nobody has plugged in.
// RADIO_DIRECTORY holds `fault`, `bolt` and `moves`, by which the test arranges and counts.
const { createRequire } = require('node:module')
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

const installed = createRequire(join(process.cwd(), 'package.json'))
const { Adapter } = installed('zigbee-herdsman/dist/adapter/adapter.js')
const Zcl = installed('zigbee-herdsman/dist/zspec/zcl')

const inDirectory = (name) => join(process.env.RADIO_DIRECTORY, name)
const read = (name) => readFileSync(inDirectory(name), 'utf8').trim()
const lockStates = { jammed: 0, locked: 1, unlocked: 2 }
const enum8 = 0x30
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

class FakedRadio extends Adapter {
  async start() {
    return 'resumed'
  }
  async stop() {}
  async getCoordinatorIEEE() {
    return '0x00124b0000000000'
  }
  async getCoordinatorVersion() {
    return { type: 'faked', meta: { revision: '1' } }
  }
  async supportsBackup() {
    return false
  }
  async getNetworkParameters() {
    return { panID: 0x1a62, extendedPanID: '0xdddddddddddddddd', channel: 11, nwkUpdateID: 0 }
  }
  async permitJoin() {}
  async sendZdo() {
    throw new Error('Nobody answers')
  }
  async sendZclFrameToGroup() {}
  async sendZclFrameToAll() {}

  async sendZclFrameToEndpoint(_ieee, address, endpoint, frame, timeout) {
    const { transactionSequenceNumber: number } = frame.header
    const fault = read('fault')
    if (fault === 'silent') await pause(2000)
    const isLock = frame.cluster.name === 'closuresDoorLock'
    const moves = isLock && /^(un)?lockDoor$/.test(frame.command.name)
    if (moves) appendFileSync(inDirectory('moves'), `${frame.command.name}\n`)
    if (!isLock || fault === 'silent' || fault === 'unreachable')
      throw new Error(`Timeout - ${address} - ${endpoint} - ${number} - ${frame.cluster.ID} after ${timeout}ms`)
    const answer = (type, name, payload) =>
      this.hear(address, endpoint, Zcl.Frame.create(type, 1, true, undefined, number, name, frame.cluster.ID, payload, {}))
    const state = { attrId: 0, dataType: enum8 }
    if (moves) {
      if (fault !== 'refuses')
        this.moveBolt(
          address,
          endpoint,
          frame,
          fault === 'jams' ? 'jammed' : frame.command.name === 'lockDoor' ? 'locked' : 'unlocked',
        )
      return answer(Zcl.FrameType.SPECIFIC, `${frame.command.name}Rsp`, { status: 0 })
    }
    if (frame.command.name === 'read')
      return answer(Zcl.FrameType.GLOBAL, 'readRsp', [{ ...state, status: 0, attrData: lockStates[read('bolt')] }])
    return answer(Zcl.FrameType.GLOBAL, 'defaultRsp', { cmdId: frame.command.ID, statusCode: 0 })
  }

  moveBolt(address, endpoint, frame, end) {
    setTimeout(() => {
      writeFileSync(inDirectory('bolt'), end)
      const report = [{ attrId: 0, dataType: enum8, attrData: lockStates[end] }]
      this.hear(
        address,
        endpoint,
        Zcl.Frame.create(Zcl.FrameType.GLOBAL, 1, true, undefined, 1, 'report', frame.cluster.ID, report, {}),
      )
    }, 300)
  }

  hear(address, endpoint, frame) {
    const heard = {
      clusterID: frame.cluster.ID,
      address,
      header: frame.header,
      data: frame.toBuffer(),
      endpoint,
      linkquality: 120,
      groupID: 0,
      wasBroadcast: false,
      destinationEndpoint: 1,
    }
    this.emit('zclPayload', heard)
    return heard
  }
}

Adapter.create = async (...options) => new FakedRadio(...options)
