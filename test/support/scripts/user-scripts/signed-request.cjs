const crypto = require('crypto')
const CryptoJS = require('crypto-js')
const jwt = require('jsonwebtoken')
const https = require('https')
const http = require('http')
const zod = require('zod')
const { faker } = require('@faker-js/faker')

const key = 'secret'
const name = faker.person.fullName()
const token = jwt.sign({ name }, key, { expiresIn: '1m' })
if (jwt.verify(token, key).name !== name) throw new Error('The token is broken.')

const body = JSON.stringify({ name })
const one = CryptoJS.HmacSHA256(body, key).toString(CryptoJS.enc.Hex)
const other = crypto.createHmac('sha256', key).update(body).digest('hex')
if (one !== other) throw new Error('The signatures differ.')

const Orders = zod.object({ orders: zod.array(zod.number()).min(1) })
const url = `${process.env.ENVIRONMENT_URL}/orders`
const options = { headers: { authorization: 'Bearer t-1', 'x-signature': one } }
const client = url.startsWith('https:') ? https : http
client.get(url, options, (response) => {
  let text = ''
  response.on('data', (part) => { text += part })
  response.on('end', () => {
    Orders.parse(JSON.parse(text))
    console.log('status', response.statusCode)
  })
})
