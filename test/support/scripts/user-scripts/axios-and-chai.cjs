const axios = require('axios')
const chai = require('chai')
const _ = require('lodash')
const moment = require('moment')
const { v4: uuid } = require('uuid')

chai.use(require('chai-string'))
chai.use(require('chai-json-schema'))
const { expect, assert } = chai

const api = axios.create({ baseURL: process.env.ENVIRONMENT_URL, timeout: 10000 })

async function run () {
  const { data } = await api.post('/api/login', { password: process.env.PASSWORD })
  expect(data).to.be.jsonSchema({ type: 'object', required: ['token'] })
  expect(data.token).to.startWith('t-')

  const headers = { Authorization: `Bearer ${data.token}`, 'X-Request-Id': uuid() }
  const { status, data: body } = await api.get('/orders', { headers })
  assert.equal(status, 200, 'the orders are open')
  expect(_.sum(body.orders)).to.equal(6)
  expect(moment().isAfter('2020-01-01')).to.be.true

  try {
    await api.get('/orders')
    assert.fail('the orders are open to everybody')
  } catch (error) {
    assert.equal(error.response && error.response.status, 401)
  }
  console.log('orders', body.orders.length)
}

run()
