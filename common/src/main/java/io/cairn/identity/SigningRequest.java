package io.cairn.identity;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/**
 * A request for a certificate (PKCS #10), and the key that it is for, which never leaves the
 * process that made it.
 *
 * @param key stays here
 * @param bytes go to a master
 */
public record SigningRequest(PrivateKey key, byte[] bytes) {
    /** With a new key on the curve P-256. */
    public static SigningRequest make(SecureRandom random) {
        KeyPair pair = newKeys(random);
        try {
            byte[] bytes =
                    new JcaPKCS10CertificationRequestBuilder(
                                    new X500Principal("CN=request"), pair.getPublic())
                            .build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .build(pair.getPrivate()))
                            .getEncoded();
            return new SigningRequest(pair.getPrivate(), bytes);
        } catch (IOException | OperatorCreationException e) {
            throw new IllegalStateException("a request cannot be signed", e);
        }
    }

    static KeyPair newKeys(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no keys on the curve P-256", e);
        }
    }
}
