#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints tests/tools/smb_crypto_vectors.h: encrypted SMB3 messages and derived keys made from the standards with
nothing but Python's hashes, so that they do not share code with what they test.
AES: FIPS 197; GCM: SP 800-38D; CCM: SP 800-38C; key derivation: SP 800-108; messages: MS-SMB2 2.2.41, 3.1.4.2."""
import hashlib
import hmac
import struct


def xtime(a):
    return (a << 1 ^ (0x11B if a & 0x80 else 0)) & 0xFF


def multiply(a, b):
    r = 0
    while b:
        r ^= a if b & 1 else 0
        a, b = xtime(a), b >> 1
    return r


def make_sbox():
    box = []
    for x in range(256):
        inverse = next((y for y in range(256) if multiply(x, y) == 1), 0)
        s = inverse
        for i in range(1, 5):
            s ^= (inverse << i | inverse >> (8 - i)) & 0xFF
        box.append(s ^ 0x63)
    return box


SBOX = make_sbox()


def expand(key):
    nk = len(key) // 4
    words = [list(key[4 * i:4 * i + 4]) for i in range(nk)]
    rcon = 1
    for i in range(nk, 4 * (nk + 7)):
        t = list(words[i - 1])
        if i % nk == 0:
            t = [SBOX[b] for b in t[1:] + t[:1]]
            t[0] ^= rcon
            rcon = xtime(rcon)
        elif nk > 6 and i % nk == 4:
            t = [SBOX[b] for b in t]
        words.append([a ^ b for a, b in zip(words[i - nk], t)])
    return [sum(words[4 * r:4 * r + 4], []) for r in range(nk + 7)]


def aes(key, block):
    keys = expand(key)
    s = [a ^ b for a, b in zip(block, keys[0])]
    for r, round_key in enumerate(keys[1:], 1):
        s = [SBOX[b] for b in s]
        s = [s[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if r < len(keys) - 1:
            mixed = []
            for c in range(4):
                a = s[4 * c:4 * c + 4]
                mixed += [multiply(a[i], 2) ^ multiply(a[(i + 1) % 4], 3) ^ a[(i + 2) % 4] ^ a[(i + 3) % 4]
                          for i in range(4)]
            s = mixed
        s = [a ^ b for a, b in zip(s, round_key)]
    return bytes(s)


def xor(a, b):
    return bytes(x ^ y for x, y in zip(a, b))


def counter_mode(key, first, data):
    out, value = b'', int.from_bytes(first, 'big')
    for i in range(0, len(data), 16):
        out += xor(data[i:i + 16], aes(key, (value + i // 16).to_bytes(16, 'big')))
    return out


def ghash(h, data):
    h, y = int.from_bytes(h, 'big'), 0
    for i in range(0, len(data), 16):
        y ^= int.from_bytes(data[i:i + 16].ljust(16, b'\0'), 'big')
        z, v = 0, h
        for bit in range(127, -1, -1):
            if y >> bit & 1:
                z ^= v
            v = v >> 1 ^ (0xE1 << 120 if v & 1 else 0)
        y = z
    return y.to_bytes(16, 'big')


def pad(data):
    return data + b'\0' * (-len(data) % 16)


def gcm(key, nonce, aad, plain):
    first = nonce + b'\0\0\0\1'
    cipher = counter_mode(key, nonce + b'\0\0\0\2', plain)
    s = ghash(aes(key, bytes(16)), pad(aad) + pad(cipher) + struct.pack('>QQ', 8 * len(aad), 8 * len(cipher)))
    return cipher, xor(s, aes(key, first))


def ccm(key, nonce, aad, plain):
    q = 15 - len(nonce)
    flags = 0x40 | (16 - 2) // 2 << 3 | q - 1
    mac_input = bytes([flags]) + nonce + len(plain).to_bytes(q, 'big')
    mac_input += pad(struct.pack('>H', len(aad)) + aad) + pad(plain)
    t = bytes(16)
    for i in range(0, len(mac_input), 16):
        t = aes(key, xor(t, mac_input[i:i + 16]))
    base = bytes([q - 1]) + nonce
    return counter_mode(key, base + (1).to_bytes(q, 'big'), plain), xor(t, aes(key, base + bytes(q)))


def transform(cipher, key, plain, session_id):
    nonce = bytes(range(0xA0, 0xB0))
    used = nonce[:11] if cipher in (1, 3) else nonce[:12]
    rest = used.ljust(16, b'\0') + struct.pack('<IHHQ', len(plain), 0, 1, session_id)
    data, tag = (ccm if cipher in (1, 3) else gcm)(key, used, rest, plain)
    return b'\xfdSMB' + tag + rest + data


def derive(secret, label, context, size):
    data = struct.pack('>I', 1) + label + b'\0' + b'\0' + context + struct.pack('>I', 8 * size)
    return hmac.new(secret, data, hashlib.sha256).digest()[:size]


def show(name, data):
    rows = [', '.join(f'0x{b:02x}' for b in data[i:i + 16]) for i in range(0, len(data), 16)]
    print(f'static const uint8_t {name}[{len(data)}] = {{\n\t' + ',\n\t'.join(rows) + '};\n')


def main():
    # FIPS 197 appendix C: the cipher itself is right
    plain = bytes.fromhex('00112233445566778899aabbccddeeff')
    assert aes(bytes(range(16)), plain).hex() == '69c4e0d86a7b0430d8cdb78070b4c55a'
    assert aes(bytes(range(32)), plain).hex() == '8ea2b7ca516745bfeafc49904b496089'
    message = b'\xfeSMB\x40\0' + bytes(range(6, 200))
    session_key = bytes(range(0x10, 0x20))
    full_key = bytes(range(0x10, 0x30))
    preauth = b''.join(hashlib.sha256(bytes([i])).digest() for i in range(2))
    print('/* SPDX-License-Identifier: GPL-3.0-or-later */')
    print('/* Made by smb_crypto_vectors.py. */')
    print('#ifndef SLOWCOPY_TESTS_TOOLS_SMB_CRYPTO_VECTORS_H')
    print('#define SLOWCOPY_TESTS_TOOLS_SMB_CRYPTO_VECTORS_H\n')
    print('#include <stdint.h>\n')
    show('vector_message', message)
    show('vector_preauth', preauth)
    show('vector_client_300', derive(session_key, b'SMB2AESCCM', b'ServerIn \0', 16))
    show('vector_server_300', derive(session_key, b'SMB2AESCCM', b'ServerOut\0', 16))
    show('vector_client_311', derive(session_key, b'SMBC2SCipherKey', preauth, 16))
    show('vector_server_311', derive(session_key, b'SMBS2CCipherKey', preauth, 16))
    show('vector_client_256', derive(full_key, b'SMBC2SCipherKey', preauth, 32))
    show('vector_server_256', derive(full_key, b'SMBS2CCipherKey', preauth, 32))
    one = hashlib.sha512(bytes(64) + message).digest()
    show('vector_hash', hashlib.sha512(one + preauth).digest())
    for cipher, name in enumerate(('ccm_128', 'gcm_128', 'ccm_256', 'gcm_256'), 1):
        key = (session_key if cipher < 3 else full_key)
        show('vector_' + name, transform(cipher, key, message, 0x0000700000000005))
    print('#endif')


main()
