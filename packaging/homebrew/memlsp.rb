# The formula of a tap. `make release-dry-run` fills in the address and the digest of the source archive.
class Memlsp < Formula
  include Language::Python::Virtualenv

  desc "Remembers why the code is the way it is, and says so when the code stops agreeing"
  homepage "https://github.com/memlsp/memlsp"
  url "@URL@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on "git"
  depends_on "python@3.13"

  def install
    # its dependencies are wheels with compiled parts, which nobody wants to build from source
    virtualenv_create(libexec, "python3.13")
    system libexec/"bin/python", "-m", "ensurepip"
    system libexec/"bin/python", "-m", "pip", "install", "--only-binary=:all:", "--no-binary=memlsp", buildpath
    bin.install_symlink libexec/"bin/memlsp"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/memlsp --version")
    system "git", "init", "--quiet"
    (testpath/"pay.py").write "def charge(tries=3): ...\n"
    system bin/"memlsp", "remember", "charge tries three times", "--at", "pay.py#charge"
    inreplace "pay.py", "3", "5"
    assert_match "contradicted", shell_output("#{bin}/memlsp beliefs")
  end
end
